#include "report/sentences.hpp"

#include <array>
#include <numeric>

#include "report/text.hpp"

namespace roipca::cli {
namespace {

std::string explain(std::int64_t components) {
  return counted(components, "component") + (components == 1 ? " explains " : " explain ");
}

// Joins texts as in "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

// Returns "The first component explains over 50 %, the first 7 over 90 % ...", up to what the components
// explain.
std::string sufficient_numbers(const ModelFacts& facts) {
  constexpr std::array<double, 5> kParts = {0.5, 0.8, 0.9, 0.95, 0.99};
  std::vector<std::string> clauses;
  double sum = 0.0;
  std::size_t reached = 0;
  for (std::size_t i = 0; i < facts.ratio.size(); ++i) {
    sum += facts.ratio[i];
    const std::size_t before = reached;
    while (reached < kParts.size() && sum > kParts[reached]) ++reached;
    if (reached == before) continue;
    const std::string count = grouped(static_cast<std::int64_t>(i) + 1);
    const std::string part = "over " + percent(kParts[reached - 1]);
    if (!clauses.empty()) {
      clauses.push_back("the first " + count + " " + part);
    } else if (i == 0) {
      clauses.push_back("The first component explains " + part);
    } else {
      clauses.push_back("The first " + count + " components explain " + part);
    }
  }
  return clauses.empty() ? "" : joined(clauses) + ".";
}

// The error is the mean of 2 sin^2 over the angles between the subspaces, so half of it is the fraction of a
// component's variance that is missed.
std::string error_sentence(double error) {
  constexpr double kNone = 1e-12;
  constexpr double kSmall = 1e-3;
  constexpr double kLarge = 0.1;
  if (error < kNone) return "The components are those that an analysis of all rows at once would give.";
  const std::string part = percent(error / 2.0);
  if (error < kSmall) {
    return "An analysis of all rows at once would give practically the same components: they differ by "
           "about " +
           part + ".";
  }
  if (error < kLarge) {
    return "The components differ from those of an analysis of all rows at once by about " + part +
           "; one more pass over the rows would improve them.";
  }
  return "The components differ from those of an analysis of all rows at once by about " + part +
         ": before you rely on them, make another pass over the rows, or repeat the analysis with more "
         "oversampling.";
}

}  // namespace

std::vector<std::string> summary_sentences(const ModelFacts& facts) {
  const auto components = static_cast<Index>(facts.ratio.size());
  const Index features = facts.components.cols();
  const std::string rows = counted(facts.rows, "row") + " of " + counted(features, "feature");
  const double explained = std::accumulate(facts.ratio.begin(), facts.ratio.end(), 0.0);
  if (facts.variance.empty() || !(facts.variance.front() > 0.0)) {
    return {"The model was learned from " + rows + ".", "The rows have no variance along its components."};
  }
  std::vector<std::string> sentences = {explain(components) + percent(explained) + " of the variance of " +
                                        rows + "."};
  if (const std::string text = sufficient_numbers(facts); components > 1 && !text.empty()) {
    sentences.push_back(text);
  }
  if (features > components && facts.noise_variance > 0.0) {
    const Index others = features - components;
    sentences.push_back(others == 1 ? "The variance along the remaining direction is " +
                                          number(facts.noise_variance) + "."
                                    : "The variance along each of the other " + grouped(others) +
                                          " directions is " + number(facts.noise_variance) + " on average.");
  }
  if (facts.error_estimate) sentences.push_back(error_sentence(*facts.error_estimate));
  return sentences;
}

}  // namespace roipca::cli
