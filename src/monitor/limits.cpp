#include "roipca/limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "linalg/eigen_types.hpp"
#include "monitor/distributions.hpp"

namespace roipca {
namespace {

constexpr std::array<std::pair<LimitRule, std::string_view>, 6> kNames = {
    {{LimitRule::kAuto, "auto"},
     {LimitRule::kPrequential, "prequential"},
     {LimitRule::kF, "f"},
     {LimitRule::kChi2, "chi2"},
     {LimitRule::kBox, "box"},
     {LimitRule::kJacksonMudholkar, "jackson-mudholkar"}}};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Moments of fewer scores tell too little about a tail.
constexpr std::int64_t kEnoughRows = 50;

void check_confidence(double confidence) {
  if (confidence > 0.0 && confidence < 1.0) return;
  throw std::invalid_argument("confidence is " + std::to_string(confidence) + ", but must be in (0, 1)");
}

[[noreturn]] void refuse(LimitRule rule, const char* statistic) {
  throw std::invalid_argument("\"" + std::string(name(rule)) + "\" is not a limit of " + statistic);
}

// Returns the quantile of g chi2(h) with this mean and variance.
double chi2_limit(double mean, double spread, double tail) {
  if (!(mean > 0.0)) return 0.0;
  if (!(spread > 0.0)) return mean;
  return 0.5 * mean * spread * chi2_quantile(tail, 2.0 / spread);
}

// Returns the quantile of a + g chi2(h) with these three moments. Sums of squares are never less skewed than
// g chi2(h) with the same mean and variance, where a is 0; a smaller third moment is an accident of few rows.
// An h below 1, the square of one number, indicates heavy tails: then the limit is the larger of those for h
// and for 1, because otherwise a few rows far out would put the limit of a small confidence below most other
// rows.
double shifted_chi2_limit(double mean, double spread, double third, double tail) {
  if (!(mean > 0.0) || !(spread > 0.0)) return mean;
  const auto standard = [tail](double skewness) {
    const double freedom = 8.0 / (skewness * skewness);
    return (chi2_quantile(tail, freedom) - freedom) / std::sqrt(2.0 * freedom);
  };
  const double least = 2.0 * std::sqrt(spread);
  const double of_one = std::max(least, std::sqrt(8.0));
  constexpr double kMostSkewed = 2.0;  // factor on the skewness for h = 1
  const double skewness = std::clamp(third / std::pow(spread, 1.5), least, kMostSkewed * of_one);
  const double tails = std::max(standard(std::min(skewness, of_one)), standard(skewness));
  return mean * (1.0 + std::sqrt(spread) * tails);
}

template <typename T>
bool has_scores(const Model<T>& model) {
  return static_cast<Index>(model.prequential.t2_mean.size()) >= model.n_components;
}

template <typename T>
bool has_enough_scores(const Model<T>& model) {
  return has_scores(model) && model.prequential.rows >= kEnoughRows;
}

template <typename T>
void require_scores(const Model<T>& model) {
  if (has_scores(model)) return;
  throw std::logic_error("no row was scored before it was learned: the rows were too few");
}

// Returns whether the eigenvalues of the method's models are estimates that leave the wrong variance to the
// other directions: ccipca and fd too much, gha too little.
bool leaves_wrong_variance(Method method) {
  return method == Method::kCcipca || method == Method::kGha || method == Method::kFrequentDirections;
}

// Returns the larger of the limits from scored rows and from a textbook formula: scores of few rows may miss
// a tail, and textbooks consider neither tails nor the number of features.
template <typename T, typename Limit>
double automatic(const Model<T>& model, Limit limit, LimitRule textbook) {
  const double by_textbook = limit(textbook);
  if (!has_enough_scores(model)) return by_textbook;
  return std::max(by_textbook, limit(LimitRule::kPrequential));
}

// Returns the number of rows of equal weight that count as much as these rows with their weights (Kish).
template <typename T>
double counting_rows(const Model<T>& model) {
  const double squares = model.weight * model.weight - 2.0 * model.weight_pairs;
  const auto rows = static_cast<double>(model.rows);
  return squares > 0.0 ? std::min(rows, model.weight / squares * model.weight) : rows;
}

template <typename T>
Index components_that_vary(const Model<T>& model) {
  return (as_eigen(model.eigenvalues).head(model.n_components).array() > 0.0).count();
}

template <typename T>
double f_limit(const Model<T>& model, double tail) {
  const double n = counting_rows(model);
  const auto m = static_cast<double>(components_that_vary(model));
  if (m == 0.0) return 0.0;
  if (!(n > m + 1e-6)) return kInfinity;
  return m * (n - 1.0) * (n + 1.0) / (n * (n - m)) * f_quantile(tail, m, n - m);
}

// Sums of the variances along the directions that are not reported, of their squares and of their cubes.
// Those of directions that are not held are assumed to be equal.
struct Residual {
  double first = 0.0;
  double second = 0.0;
  double third = 0.0;
};

template <typename T>
Residual residual_of(const Model<T>& model) {
  Residual residual;
  const double freedom = model.degrees_of_freedom();
  if (freedom == 0.0) return residual;
  const auto add = [&](double variance, double times) {
    residual.first += times * variance;
    residual.second += times * variance * variance;
    residual.third += times * variance * variance * variance;
  };
  const auto values = as_eigen(model.eigenvalues);
  for (Index i = model.n_components; i < values.size(); ++i) add(values[i] / freedom, 1.0);
  const auto outside = static_cast<double>(model.features() - values.size());
  const double left = std::max(model.trace() - values.sum(), 0.0);
  if (outside > 0.0) add(left / outside / freedom, outside);
  return residual;
}

// Returns an SPE that rounding alone may cause: residuals round to a few epsilon of the numbers of the row
// and of its differences from the mean. If nothing else is left of the rows, their SPE is of this order,
// times 20.
template <typename T>
double spe_of_rounding(const Model<T>& model) {
  constexpr double kEpsilons = 64.0 * double{std::numeric_limits<T>::epsilon()};
  const double freedom = model.degrees_of_freedom();
  double squares = freedom > 0.0 ? model.trace() / freedom : 0.0;
  for (std::size_t j = 0; j < model.mean.size(); ++j) {
    const double in_units = model.scale.empty() ? model.mean[j] : model.mean[j] / model.scale[j];
    squares += in_units * in_units;
  }
  return kEpsilons * kEpsilons * squares;
}

// Returns whether the rows are so few that their own components, and their mean if they are centred, leave
// nothing of them.
template <typename T>
bool are_rows_too_few(const Model<T>& model) {
  const double of_mean = model.options.center ? 1.0 : 0.0;
  return !(counting_rows(model) > static_cast<double>(components_that_vary(model)) + of_mean + 1e-6);
}

double jackson_mudholkar(const Residual& r, double tail) {
  const double h = 1.0 - 2.0 * r.first * r.third / (3.0 * r.second * r.second);
  const double z = normal_quantile(tail);
  const double base =
      z * h * std::sqrt(2.0 * r.second) / r.first + 1.0 + r.second * h * (h - 1.0) / (r.first * r.first);
  if (!(base > 0.0)) return kInfinity;
  return r.first * std::pow(base, 1.0 / h);
}

// Returns the limit of SPE as if rows had no rounding.
template <typename T>
double limit_of_variance(const Model<T>& model, double confidence, LimitRule rule) {
  const double tail = 1.0 - confidence;
  if (rule == LimitRule::kAuto) {
    if (leaves_wrong_variance(model.resolved.method) && has_enough_scores(model)) {
      return limit_of_variance(model, confidence, LimitRule::kPrequential);
    }
    return automatic(
        model, [&](LimitRule used) { return limit_of_variance(model, confidence, used); }, LimitRule::kBox);
  }
  if (rule == LimitRule::kPrequential) {
    require_scores(model);
    const auto m = static_cast<std::size_t>(model.n_components - 1);
    return shifted_chi2_limit(model.prequential.spe_mean[m], model.prequential.spe_spread[m],
                              model.prequential.spe_third[m], tail);
  }
  if (rule != LimitRule::kBox && rule != LimitRule::kJacksonMudholkar) refuse(rule, "SPE");
  const Residual residual = residual_of(model);
  if (!(residual.second > 0.0)) return residual.first;
  if (rule == LimitRule::kJacksonMudholkar) return jackson_mudholkar(residual, tail);
  return chi2_limit(residual.first, 2.0 * residual.second / (residual.first * residual.first), tail);
}

}  // namespace

std::string_view name(LimitRule rule) {
  for (const auto& [known, text] : kNames) {
    if (known == rule) return text;
  }
  throw std::invalid_argument("not a LimitRule");
}

LimitRule limit_rule_from_name(std::string_view name) {
  for (const auto& [rule, text] : kNames) {
    if (text == name) return rule;
  }
  throw std::invalid_argument("no limit is called \"" + std::string(name) +
                              "\"; use auto, prequential, f, chi2, box or jackson-mudholkar");
}

template <typename T>
double t2_limit(const Model<T>& model, double confidence, LimitRule rule) {
  check_confidence(confidence);
  const double tail = 1.0 - confidence;
  switch (rule) {
    case LimitRule::kAuto:
      return automatic(
          model, [&](LimitRule used) { return t2_limit(model, confidence, used); }, LimitRule::kF);
    case LimitRule::kPrequential: {
      require_scores(model);
      const auto m = static_cast<std::size_t>(model.n_components - 1);
      return shifted_chi2_limit(model.prequential.t2_mean[m], model.prequential.t2_spread[m],
                                model.prequential.t2_third[m], tail);
    }
    case LimitRule::kF:
      return f_limit(model, tail);
    case LimitRule::kChi2: {
      const Index m = components_that_vary(model);
      return m == 0 ? 0.0 : chi2_quantile(tail, static_cast<double>(m));
    }
    default:
      refuse(rule, "T^2");
  }
}

template <typename T>
double spe_limit(const Model<T>& model, double confidence, LimitRule rule) {
  check_confidence(confidence);
  const double limit = limit_of_variance(model, confidence, rule);
  return are_rows_too_few(model) ? kInfinity : std::max(limit, spe_of_rounding(model));
}

template double t2_limit(const Model<float>&, double, LimitRule);
template double t2_limit(const Model<double>&, double, LimitRule);
template double spe_limit(const Model<float>&, double, LimitRule);
template double spe_limit(const Model<double>&, double, LimitRule);

}  // namespace roipca
