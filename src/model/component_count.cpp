#include "roipca/component_count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "linalg/eigen_types.hpp"

namespace roipca {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Variances of rows, in units of the total variance.
struct Sample {
  std::vector<double> leading;  // the variances above 0
  double rows;
  double freedom;  // number of rows that the variances are means of, minus one if they are centred
  double features;

  double sum_behind(std::size_t count) const {
    double sum = 1.0;
    for (std::size_t i = 0; i < count; ++i) sum -= leading[i];
    return std::max(0.0, sum);
  }
  // The largest number of components that leaves a direction for noise.
  std::size_t most() const {
    const double directions = std::min(features, freedom);
    return std::min(leading.size(), static_cast<std::size_t>(std::max(0.0, std::ceil(directions) - 1.0)));
  }
  // The rounding of the sums if there is no noise.
  double rounding() const { return static_cast<double>(leading.size() + 4) * 4.0 * kEpsilon; }
};

// Returns the variance of the noise if there are `count` components. A component of population variance r
// above the noise s has the sample variance r + r s (d - count) / (n (r - s)) on average, and the excess is
// missing from the others (Kritchman and Nadler 2008, equations 12 to 14).
double noise_beside(const Sample& sample, std::size_t count) {
  constexpr int kMostSteps = 50;
  const double others = sample.features - static_cast<double>(count);
  const double behind = sample.sum_behind(count);
  if (behind <= sample.rounding()) return 0.0;
  const double aspect = others / sample.freedom;
  double noise = behind / others;
  for (int step = 0; step < kMostSteps; ++step) {
    double inflation = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double b = sample.leading[i] + noise - noise * aspect;
      const double discriminant = b * b - 4.0 * sample.leading[i] * noise;
      if (discriminant < 0.0) continue;  // within the bulk: not distinguishable from noise
      inflation += sample.leading[i] - 0.5 * (b + std::sqrt(discriminant));
    }
    const double next = (behind + inflation) / others;
    if (!(next > 0.0) || std::abs(next - noise) <= 1e-10 * noise) break;
    noise = next;
  }
  return noise;
}

// The noise for any number of components; each is computed once.
class Noise {
 public:
  explicit Noise(const Sample& sample) : sample_(sample) {}

  double beside(std::size_t count) {
    while (known_.size() <= count) known_.push_back(noise_beside(sample_, known_.size()));
    return known_[count];
  }

 private:
  const Sample& sample_;
  std::vector<double> known_;
};

// Returns how many leading variances exceed `limit(count)` times the noise for that number of components.
template <typename Limit>
Index count_above(const Sample& sample, Noise& noise, const Limit& limit) {
  std::size_t count = 0;
  while (count < sample.most() &&
         sample.leading[count] > limit(static_cast<double>(count + 1)) * noise.beside(count + 1)) {
    ++count;
  }
  return static_cast<Index>(count);
}

// Equation 11 of Gavish and Donoho, for the squared singular value divided by the rows.
double gavish_donoho_limit(const Sample& sample) {
  const double larger = std::max(sample.freedom, sample.features);
  const double beta = std::min(sample.freedom, sample.features) / larger;
  const double squared =
      2.0 * (beta + 1.0) + 8.0 * beta / ((beta + 1.0) + std::sqrt(beta * beta + 14.0 * beta + 1.0));
  return squared * larger / sample.freedom;
}

double marchenko_pastur_edge(double features, double rows) {
  const double root = 1.0 + std::sqrt(features / rows);
  return root * root;
}

// Centre and scale of Johnstone (2001) with the corrections by 1/2 of Ma (2012), which extend the law to
// small numbers.
double tracy_widom_limit(double features, double rows) {
  constexpr double kQuantile = 2.0234;  // 99 % of the law for real numbers (beta = 1)
  const double p = std::sqrt(features - 0.5);
  const double n = std::sqrt(std::max(rows - 0.5, 0.5));
  const double centre = (n + p) * (n + p);
  const double scale = (n + p) * std::cbrt(1.0 / n + 1.0 / p);
  return (centre + kQuantile * scale) / rows;
}

// Returns the logarithm of Minka's evidence for 0, 1, 2 ... components, in O(k^2) for all of them. Unknown
// variances count as their mean.
std::vector<double> minka_evidence(const Sample& sample) {
  const std::vector<double>& v = sample.leading;
  const double d = sample.features;
  const double log_rows = std::log(sample.rows);
  const double unknown = d - static_cast<double>(v.size());
  const double mean_unknown = unknown > 0.0 ? sample.sum_behind(v.size()) / unknown : 0.0;
  const auto log_difference = [&](double a, double b) { return std::log(std::max(a - b, kEpsilon * a)); };
  const auto log_inverses = [&](double a, double b) {  // log(1/b - 1/a)
    return std::log(std::max(a - b, kEpsilon * a)) - std::log(a) - std::log(b);
  };
  std::vector<double> evidence;
  double prior = 0.0;        // logarithm of the prior of the directions
  double logs = 0.0;         // sum of the logarithms of the leading variances
  double differences = 0.0;  // sum over i < k and all j > i of log(v_i - v_j)
  double inverses = 0.0;     // sum over i < j < k of log(1 / v_j - 1 / v_i)
  const std::size_t most = std::min(v.size(), static_cast<std::size_t>(d) - 1);
  for (std::size_t k = 0; k <= most; ++k) {
    if (k > 0) {
      const std::size_t i = k - 1;
      const double half = 0.5 * (d - static_cast<double>(i));
      prior += std::lgamma(half) - half * std::log(std::numbers::pi) - std::log(2.0);
      logs += std::log(v[i]);
      for (std::size_t j = k; j < v.size(); ++j) differences += log_difference(v[i], v[j]);
      if (unknown > 0.0) differences += unknown * log_difference(v[i], mean_unknown);
      for (std::size_t j = 0; j < i; ++j) inverses += log_inverses(v[j], v[i]);
    }
    const auto count = static_cast<double>(k);
    const double behind = sample.sum_behind(k);
    if (behind <= sample.rounding()) break;  // no noise is left
    const double noise = behind / (d - count);
    double curvature = differences + inverses;
    for (std::size_t i = 0; i < k; ++i) curvature += (d - count) * log_inverses(v[i], noise);
    const double angles = d * count - 0.5 * count * (count + 1.0);
    curvature += angles * log_rows;
    evidence.push_back(prior - 0.5 * sample.rows * (logs + (d - count) * std::log(noise)) +
                       0.5 * (angles + count) * std::log(2.0 * std::numbers::pi) - 0.5 * curvature -
                       0.5 * count * log_rows);
  }
  return evidence;
}

Index minka(const Sample& sample) {
  const std::vector<double> evidence = minka_evidence(sample);
  return std::distance(evidence.begin(), std::max_element(evidence.begin(), evidence.end()));
}

Index broken_stick(const Sample& sample) {
  const double pieces = std::floor(std::min(sample.features, sample.freedom));
  double expected = 0.0;  // expected length of the longest piece: sum of 1 / j up to the number of pieces,
                          // divided by that number
  for (auto j = static_cast<Index>(pieces); j >= 1; --j) expected += 1.0 / static_cast<double>(j) / pieces;
  Index count = 0;
  for (const double variance : sample.leading) {
    if (static_cast<double>(count) >= pieces || !(variance > expected)) break;
    ++count;
    expected -= 1.0 / static_cast<double>(count) / pieces;
  }
  return count;
}

Index lower_median(const ComponentCounts& counts) {
  std::vector<Index> numbers;
  for (const auto& [name, count] : counts.rules()) {
    if (count) numbers.push_back(*count);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers[(numbers.size() - 1) / 2];
}

void add_cautions(const Sample& sample, bool may_differ_in_units, ComponentCounts& counts) {
  constexpr double kFewRows = 20.0;
  std::vector<std::string>& cautions = counts.cautions;
  if (sample.rows < kFewRows) {
    cautions.push_back("There are only " + std::to_string(std::llround(sample.rows)) + " rows.");
  }
  if (counts.noise_variance == 0.0) {
    cautions.emplace_back("No noise is left beside the components: the rules count the rank of the rows.");
    return;
  }
  if (counts.consensus == 0) cautions.emplace_back("No component stands out from the noise.");
  const auto known = static_cast<Index>(sample.most());
  if (static_cast<double>(known) < std::min(sample.features, sample.freedom) - 1.0 &&
      counts.consensus == known) {
    cautions.push_back("All " + std::to_string(known) +
                       " components held stand out from the noise: there may be more, so hold more.");
  }
  // The few features with the least noise make up the last directions, and noise_differs does not see the
  // others.
  const double directions = std::floor(std::min(sample.features, sample.freedom));
  if (counts.consensus >= 3 && 4.0 * static_cast<double>(counts.consensus) >= 3.0 * directions) {
    cautions.push_back(std::to_string(counts.consensus) + " of " + std::to_string(std::llround(directions)) +
                       " directions count as components, which leaves too few to estimate the noise: "
                       "features may differ in " +
                       (may_differ_in_units ? "units (see standardize) or in noise." : "noise."));
  }
  Index least = counts.consensus;
  Index most = counts.consensus;
  for (const auto& [name, count] : counts.rules()) {
    if (name == "broken stick" || !count) continue;  // the broken stick is far below the others by design
    least = std::min(least, *count);
    most = std::max(most, *count);
  }
  if (most - least > std::max<Index>(2, counts.consensus / 4)) {
    cautions.push_back("The rules disagree, from " + std::to_string(least) + " to " + std::to_string(most) +
                       ": the variances have no clear step.");
  }
  if (!counts.minka) {
    cautions.emplace_back("Minka's evidence is left out: there are fewer rows than features.");
  }
}

// (sum w)^2 / sum w^2.
template <typename T>
double effective_rows(const Model<T>& model) {
  const auto rows = static_cast<double>(model.rows);
  if (!(model.weight > 0.0)) return rows;
  // Beyond this many rows of equal weight, rounding of the difference would show.
  const double share = 1.0 - 2.0 * (model.weight_pairs / model.weight) / model.weight;
  return share * rows > 1.0 + 1e-6 ? std::max(1.0, 1.0 / share) : rows;
}

// Returns whether the variances of the features outside of the components differ much.
template <typename T>
bool noise_differs(const Model<T>& model, Index count) {
  constexpr double kMuch = 3.0;  // ratio of the variances above and below which a tenth of the features lie
  Vector<double> behind = as_eigen(model.scatter);
  if (!model.scale.empty()) behind.array() /= as_eigen(model.scale).array().square();
  for (Index i = 0; i < count; ++i) {
    const auto component = as_columns(model.basis).col(i).template cast<double>();
    behind -= as_eigen(model.eigenvalues)[i] * component.cwiseAbs2();
  }
  std::sort(behind.begin(), behind.end());
  const Index tenth = behind.size() / 10;
  const double low = behind[tenth];
  const double high = behind[behind.size() - 1 - tenth];
  return behind.size() > 1 && high > kMuch * std::max(low, 0.0) && high > kEpsilon * model.trace();
}

ComponentCounts suggest(const VarianceSummary& variances, bool may_differ_in_units) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("suggest_components: ") + what);
  };
  const auto is_number = [](double x) { return std::isfinite(x) && x >= 0.0; };
  require(is_number(variances.total) && is_number(variances.rows), "a number is negative or not finite");
  require(std::all_of(variances.leading.begin(), variances.leading.end(), is_number),
          "a variance is negative or not finite");
  require(std::is_sorted(variances.leading.rbegin(), variances.leading.rend()),
          "the variances are not in descending order");
  require(static_cast<Index>(variances.leading.size()) <= variances.features,
          "there are more variances than features");
  ComponentCounts counts;
  Sample sample{{},
                variances.rows,
                variances.rows - (variances.centred ? 1.0 : 0.0),
                static_cast<double>(variances.features)};
  for (const double variance : variances.leading) {
    if (variance > 0.0) sample.leading.push_back(variance / variances.total);
  }
  if (!(variances.total > 0.0) || sample.freedom < 1.0) {
    counts.cautions.emplace_back("The rows have no variance.");
    return counts;
  }
  Noise noise(sample);
  const double threshold = gavish_donoho_limit(sample);
  const auto others = [&](double count) { return sample.features - count; };
  counts.gavish_donoho = count_above(sample, noise, [&](double) { return threshold; });
  counts.marchenko_pastur = count_above(
      sample, noise, [&](double count) { return marchenko_pastur_edge(others(count), sample.freedom); });
  counts.tracy_widom = count_above(
      sample, noise, [&](double count) { return tracy_widom_limit(others(count), sample.freedom); });
  if (sample.rows >= sample.features) counts.minka = minka(sample);
  counts.broken_stick = broken_stick(sample);
  counts.consensus = std::min(lower_median(counts), static_cast<Index>(sample.most()));
  counts.noise_variance = noise.beside(static_cast<std::size_t>(counts.consensus)) * variances.total;
  add_cautions(sample, may_differ_in_units, counts);
  return counts;
}

}  // namespace

std::vector<std::pair<std::string, std::optional<Index>>> ComponentCounts::rules() const {
  return {{"Gavish-Donoho", gavish_donoho},
          {"Marchenko-Pastur", marchenko_pastur},
          {"Tracy-Widom", tracy_widom},
          {"Minka", minka},
          {"broken stick", broken_stick}};
}

ComponentCounts suggest_components(const VarianceSummary& variances) {
  return suggest(variances, /*may_differ_in_units=*/true);
}

template <typename T>
ComponentCounts suggest_components(const Model<T>& model) {
  const double divisor = model.degrees_of_freedom();
  std::vector<double> variances;
  for (const double eigenvalue : model.eigenvalues) {
    variances.push_back(divisor > 0.0 ? eigenvalue / divisor : 0.0);
  }
  const double rows = effective_rows(model);
  ComponentCounts counts = suggest({.leading = variances,
                                    .total = divisor > 0.0 ? model.trace() / divisor : 0.0,
                                    .rows = rows,
                                    .centred = model.options.center,
                                    .features = model.features()},
                                   !model.options.standardize);
  if (counts.noise_variance > 0.0 && noise_differs(model, counts.consensus)) {
    counts.cautions.emplace_back(
        "The noise differs between features by more than a factor of 3: the rules assume equal noise.");
  }
  if (rows < 0.9 * static_cast<double>(model.rows)) {
    counts.cautions.push_back("The weights of the rows differ, and count as " +
                              std::to_string(std::llround(rows)) + " rows of equal weight.");
  }
  return counts;
}

template ComponentCounts suggest_components(const Model<float>&);
template ComponentCounts suggest_components(const Model<double>&);

}  // namespace roipca
