#include "roipca/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "linalg/eigen_types.hpp"
#include "linalg/products.hpp"
#include "model/probe_directions.hpp"
#include "model/scale_residuals.hpp"
#include "monitor/distributions.hpp"

namespace roipca {
namespace {

constexpr double kLargestError = 2.0;
// Squared sine of the angle above which two neighbours cannot be told apart: 30 degrees.
constexpr double kIndistinct = 0.25;
constexpr double kTiny = std::numeric_limits<double>::min();

// Sources of the residuals.
enum class Source { kExact, kTurns, kProbes };

// The eigenvalues with variance and the squares of their residuals, relative to the square of the first
// eigenvalue: for the reported components, and for the next one if it is held.
struct Residuals {
  Vector<double> values;     // eigenvalues divided by the first
  Vector<double> squares;    // estimates
  Vector<double> inside;     // estimates of what they have, beside, along the other reported components
  Vector<double> bounds;     // bounds on all squares, with the confidence
  double least = 1.0;        // sums of `squares` / least, with any factors, exceed those of the true squares,
                             // with the same confidence
  Index reported = 0;        // number of them
  double outside = 0.0;      // mean of the eigenvalues that are not held
  double rest = 0.0;         // sum of the eigenvalues that are not reported
  double least_scale = 1.0;  // factors on eigenvalues between which those of all rows lie
  double most_scale = 1.0;

  double square_of(Index i) const { return squares[i] + inside[i]; }
  bool holds_next() const { return reported < values.size(); }
  // Returns the eigenvalue that stands for those that are not held.
  double last() const {
    return holds_next() ? values[values.size() - 1] : std::min(outside, values[reported - 1]);
  }
  // Returns a bound on the first eigenvalue that is not reported. One of them is as close to that of the next
  // component as its residual is long, and together they are the rest of the trace, which the components
  // determine up to their residuals.
  double next() const {
    const double of_trace = rest + bounds.head(reported).cwiseSqrt().sum();
    if (!holds_next()) return of_trace;
    return std::min(of_trace, values[reported] + std::sqrt(bounds[reported]));
  }
  // Returns a bound from below on the gap between reported component i and the eigenvalues not reported.
  double least_gap(Index i) const { return least_scale * values[i] - most_scale * next(); }
};

// Components and products with them are rounded to T, which no pass can undo.
template <typename T>
void add_rounding(Residuals& residuals) {
  constexpr double kEpsilon = double{std::numeric_limits<T>::epsilon()};
  residuals.squares.array() += std::pow(2.0 * kEpsilon, 2);
  residuals.bounds.array() += std::pow(16.0 * kEpsilon, 2);
}

// A turn x leaves the residual (S - alpha) x outside the span, where the eigenvalues of S lie between 0 and
// the last one held; most of x is along large ones.
template <typename T>
void take_turns(const Model<T>& model, Residuals& residuals) {
  const double alpha = model.shift / model.eigenvalues[0];
  const double last = residuals.values[residuals.values.size() - 1];
  const double middle = 0.5 * (last + residuals.outside);
  const double factor = 0.5 * (std::pow(last - alpha, 2) + std::pow(middle - alpha, 2));
  const double largest = std::pow(std::max(alpha, last - alpha), 2);
  const Vector<double> turns = as_eigen(model.turns).head(residuals.squares.size()).cwiseAbs2();
  residuals.squares = factor * turns;
  residuals.bounds = largest * turns;
  residuals.least = factor / largest;
}

// Returns the fraction q of its mean that a sum of `count` chi-squared numbers with this number of degrees of
// freedom, with any factors and any dependence on each other, is below with probability `risk` at most. By
// Markov's inequality for exp(-t sum), whose worst case is a single number, q solves (q exp(1 - q))^(freedom
// / 2) = risk.
double least_part_of_sum(double freedom, double risk) {
  const double wanted = 2.0 / freedom * std::log(risk);
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double q = 0.5 * (low + high);
    (std::log(q) + 1.0 - q < wanted ? low : high) = q;
  }
  return low;
}

// r^T omega is known for each residual r and each probe omega. The sum of its squares is |r|^2 times a
// chi-squared number with one degree of freedom per probe, whatever the rows are, because the probes do not
// depend on them.
template <typename T>
void take_probes(const Model<T>& model, double confidence, Residuals& residuals) {
  const Index d = model.features();
  const Index count = residuals.squares.size();
  const auto probes = static_cast<Index>(model.probe_products.size()) / d;
  const double first = model.eigenvalues[0];
  const Matrix<double> components = as_columns(model.basis).leftCols(count).template cast<double>();
  const Matrix<double> directions = probe_directions<T>(d, probes).template cast<double>();
  const Eigen::Map<const Matrix<double>> products(model.probe_products.data(), d, probes);
  const Matrix<double> of_products =
      linalg::product(components.transpose(), Matrix<double>(products / first));
  const Matrix<double> of_directions = linalg::product(components.transpose(), directions);
  const Matrix<double> along = of_products - residuals.values.head(count).asDiagonal() * of_directions;
  const auto freedom = static_cast<double>(probes);
  residuals.squares = along.rowwise().squaredNorm() / freedom;
  // Half of the risk is for the single residuals, the other half for their sum.
  const double risk = 0.5 * (1.0 - confidence);
  const double least = chi2_quantile(1.0 - risk / static_cast<double>(count), freedom) / freedom;
  residuals.bounds = residuals.squares / least;
  residuals.least = least_part_of_sum(freedom, risk);
}

// Adds what the scales of a standardized model leave: its residuals are those of the rows divided by other
// scales than batch PCA of all rows.
template <typename T>
void add_scales(const Model<T>& model, Residuals& residuals) {
  const double first = model.eigenvalues[0];
  const Index count = residuals.squares.size();
  const double norm = first * (1.0 + std::sqrt(residuals.bounds[0]));
  const auto scales = scale_residuals(model, count, first * residuals.outside, norm);
  if (!scales) return;
  residuals.squares += scales->outside / first / first;
  residuals.inside += scales->inside / first / first;
  residuals.bounds = (scales->most * residuals.bounds.cwiseSqrt() + scales->bounds / first).cwiseAbs2();
  residuals.least = 0.0;  // nothing is known of their sum
  residuals.least_scale = scales->least * scales->least;
  residuals.most_scale = scales->most * scales->most;
}

// Returns the sources from which the residuals of a model are known, the best one for estimates first. Turns
// tell how large a residual was and only approximately how large it is, which is better than a few probes and
// worse than many.
template <typename T>
std::vector<Source> sources_of(const Model<T>& model) {
  constexpr Index kManyProbes = 8;
  std::vector<Source> sources;
  if (model.eigenvalues.empty() || !(model.eigenvalues[0] > 0.0)) return sources;
  if (model.resolved.method == Method::kExact) return {Source::kExact};
  if (!model.turns.empty()) sources.push_back(Source::kTurns);
  if (!model.probe_products.empty()) {
    const bool are_many = static_cast<Index>(model.probe_products.size()) >= kManyProbes * model.features();
    sources.insert(are_many ? sources.begin() : sources.end(), Source::kProbes);
  }
  return sources;
}

template <typename T>
Residuals residuals_of(const Model<T>& model, Source source, double confidence = 0.5) {
  const auto eigenvalues = as_eigen(model.eigenvalues);
  const Index rank = (eigenvalues.array() > 0.0).count();
  Residuals residuals;
  const double first = eigenvalues[0];
  residuals.values = eigenvalues.head(rank) / first;
  residuals.reported = std::min(model.n_components, rank);
  residuals.squares = residuals.inside = residuals.bounds =
      Vector<double>::Zero(std::min(residuals.reported + 1, rank));
  const double trace = model.scatter_trace / first;
  residuals.rest = std::max(0.0, trace - residuals.values.head(residuals.reported).sum());
  const Index others = model.features() - rank;
  if (others > 0) {
    const double left = trace - residuals.values.sum();
    residuals.outside = std::clamp(left / static_cast<double>(others), 0.0, residuals.values[rank - 1]);
  }
  if (source == Source::kExact) return residuals;
  if (source == Source::kTurns) take_turns(model, residuals);
  if (source == Source::kProbes) take_probes(model, confidence, residuals);
  add_rounding<T>(residuals);
  if (!model.scale.empty()) add_scales(model, residuals);
  return residuals;
}

// Returns the squared sine of an error with this squared residual if the next eigenvalue is `gap` away; 0
// only without a residual.
double squared_sine(double squared_residual, double gap) {
  if (squared_residual == 0.0) return 0.0;
  return gap > 0.0 ? std::min(1.0, squared_residual / gap / gap) : 1.0;
}

// Returns whether component i can be told from the one before it. Components without variance form a group.
bool are_apart(const Residuals& residuals, Index i) {
  if (i >= residuals.reported) return i == residuals.reported;
  const double square = std::max(residuals.square_of(i - 1), residuals.square_of(i));
  return squared_sine(square, residuals.values[i - 1] - residuals.values[i]) < kIndistinct;
}

double as_subspace_error(const Residuals& residuals, double sum_of_sines) {
  return std::min(kLargestError, 2.0 * sum_of_sines / static_cast<double>(residuals.reported));
}

double estimate_of(const Residuals& residuals) {
  double sum = 0.0;
  for (Index i = 0; i < residuals.reported; ++i) {
    sum += squared_sine(residuals.squares[i], residuals.values[i] - residuals.last());
  }
  return as_subspace_error(residuals, sum);
}

// Returns the lower of two bounds: the sum of the components' parts at their own bounds, each at most 1, and
// the sum of all parts at the bound of sums.
double bound_of(const Residuals& residuals) {
  double of_each = 0.0;
  double of_all = 0.0;
  for (Index i = 0; i < residuals.reported; ++i) {
    const double gap = residuals.least_gap(i);
    of_each += squared_sine(residuals.bounds[i], gap);
    of_all += gap > 0.0 || residuals.squares[i] == 0.0
                  ? residuals.squares[i] / residuals.least / std::max(gap * gap, kTiny)
                  : std::numeric_limits<double>::infinity();
  }
  return as_subspace_error(residuals, std::min(of_each, of_all));
}

}  // namespace

template <typename T>
std::optional<double> error_estimate(const Model<T>& model) {
  const auto sources = sources_of(model);
  if (sources.empty()) return std::nullopt;
  return estimate_of(residuals_of(model, sources.front()));
}

template <typename T>
std::optional<double> error_bound(const Model<T>& model, double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw std::invalid_argument("confidence must lie between 0 and 1");
  }
  std::optional<double> bound;
  for (const Source source : sources_of(model)) {
    const double found = bound_of(residuals_of(model, source, confidence));
    bound = std::min(found, bound.value_or(found));
  }
  return bound;
}

template <typename T>
std::vector<double> component_errors(const Model<T>& model) {
  const auto sources = sources_of(model);
  if (sources.empty()) return {};
  const Residuals residuals = residuals_of(model, sources.front());
  const auto& values = residuals.values;
  std::vector<double> errors(static_cast<std::size_t>(model.n_components), 1.0);  // 1 without variance
  for (Index i = 0; i < residuals.reported; ++i) {
    double gap = values[i] - (i + 1 < values.size() ? values[i + 1] : residuals.last());
    if (i > 0) gap = std::min(gap, values[i - 1] - values[i]);
    errors[static_cast<std::size_t>(i)] = squared_sine(residuals.square_of(i), gap);
  }
  return errors;
}

template <typename T>
std::vector<Index> component_groups(const Model<T>& model) {
  const auto sources = sources_of(model);
  if (sources.empty()) return {};
  const Residuals residuals = residuals_of(model, sources.front());
  std::vector<Index> sizes = {1};
  for (Index i = 1; i < model.n_components; ++i) {
    if (are_apart(residuals, i)) {
      sizes.push_back(1);
    } else {
      ++sizes.back();
    }
  }
  return sizes;
}

template <typename T>
bool is_worth_another_pass(const Model<T>& model, double tolerance, std::optional<double> before) {
  constexpr double kStillFalls = 0.9;
  if (model.resolved.method == Method::kExact || !(model.scatter_trace > 0.0)) return false;
  const auto estimate = error_estimate(model);
  if (!estimate) return true;
  return *error_bound(model) > tolerance && (!before || *estimate < kStillFalls * *before);
}

template std::optional<double> error_estimate(const Model<float>&);
template std::optional<double> error_estimate(const Model<double>&);
template std::optional<double> error_bound(const Model<float>&, double);
template std::optional<double> error_bound(const Model<double>&, double);
template std::vector<double> component_errors(const Model<float>&);
template std::vector<double> component_errors(const Model<double>&);
template std::vector<Index> component_groups(const Model<float>&);
template std::vector<Index> component_groups(const Model<double>&);
template bool is_worth_another_pass(const Model<float>&, double, std::optional<double>);
template bool is_worth_another_pass(const Model<double>&, double, std::optional<double>);

}  // namespace roipca
