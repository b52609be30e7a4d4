#include "shares.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "printable.hpp"

namespace roipca::cli {
namespace {

// Returns `part` as text that is not rounded up to `whole`.
std::string below(double whole, double part, int digits) {
  constexpr double kRounding = 1e-12;  // of a sum of shares
  constexpr int kMostDigits = 15;
  std::array<char, 32> text{};
  if (part > whole * (1.0 - kRounding)) part = whole;
  do {
    std::snprintf(text.data(), text.size(), "%.*g", digits, part);
  } while (part < whole && std::strtod(text.data(), nullptr) >= whole && ++digits <= kMostDigits);
  return text.data();
}

}  // namespace

std::string share_text(double share, int digits) { return below(1.0, share, digits); }

std::string percent_text(double share, int digits) { return below(100.0, 100.0 * share, digits); }

template <typename T>
std::optional<std::string> note_on_units(const Model<T>& model, const std::vector<std::string>& names,
                                         const std::string& remedy) {
  // The standard deviation of the feature is then ten times that of all others together. Features in one unit
  // hardly differ that much, and the first component shows little but this feature: the others have too small
  // a part of the variance for T^2 and SPE to see faults in them.
  constexpr double kNearlyAll = 0.99;
  constexpr int kFewest = 3;  // of two features, one often is a total or a count
  if (model.options.standardize) return std::nullopt;
  const std::vector<double> variance = model.feature_variance();
  if (std::ranges::count_if(variance, [](double v) { return v > 0.0; }) < kFewest) return std::nullopt;
  const auto largest = std::ranges::max_element(variance);
  const double share = *largest / std::accumulate(variance.begin(), variance.end(), 0.0);
  if (!(share > kNearlyAll)) return std::nullopt;
  const auto feature = static_cast<std::size_t>(largest - variance.begin());
  const std::string name =
      feature < names.size() ? '"' + printable(names[feature]) + '"' : std::to_string(feature + 1);
  return "note: feature " + name + " has " + percent_text(share, 4) +
         " % of the variance; if units differ, " + remedy;
}

template std::optional<std::string> note_on_units(const Model<float>&, const std::vector<std::string>&,
                                                  const std::string&);
template std::optional<std::string> note_on_units(const Model<double>&, const std::vector<std::string>&,
                                                  const std::string&);

}  // namespace roipca::cli
