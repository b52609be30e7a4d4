#include "roipca/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "linalg/eigen_types.hpp"

namespace roipca {
namespace {

constexpr double kLargestError = 2.0;
// Squared sine of the angle from which on two neighbours cannot be told apart: 30 degrees.
constexpr double kIndistinct = 0.25;

// The eigenvalues with variance, and squares of their residuals as a part of the first eigenvalue's square.
struct Residuals {
  Vector<double> values;   // eigenvalues over the first
  Vector<double> squares;  // estimates
  Vector<double> bounds;   // of the squares
  Index reported = 0;      // of them
  double outside = 0.0;    // mean of the other eigenvalues

  // Of the eigenvalue that stands for those not held.
  double last() const {
    return reported < values.size() ? values[values.size() - 1] : std::min(outside, values[reported - 1]);
  }
  // The first that is not reported; without one nothing is known about it.
  double next() const { return reported < values.size() ? values[reported] : values[reported - 1]; }
};

// Components and products with them are rounded to T, which no pass can undo.
template <typename T>
void add_rounding(Residuals& residuals) {
  constexpr double kEpsilon = double{std::numeric_limits<T>::epsilon()};
  residuals.squares.array() += std::pow(2.0 * kEpsilon, 2);
  residuals.bounds.array() += std::pow(16.0 * kEpsilon, 2);
}

template <typename T>
std::optional<Residuals> residuals_of(const Model<T>& model) {
  const auto eigenvalues = as_eigen(model.eigenvalues);
  const Index rank = (eigenvalues.array() > 0.0).count();
  const bool is_exact = model.resolved.method == Method::kExact;
  if (rank == 0 || (model.turns.empty() && !is_exact)) return std::nullopt;
  Residuals residuals;
  const double first = eigenvalues[0];
  residuals.values = eigenvalues.head(rank) / first;
  residuals.reported = std::min(model.n_components, rank);
  const Index others = model.features() - rank;
  if (others > 0) {
    const double left = model.scatter_trace / first - residuals.values.sum();
    residuals.outside = std::clamp(left / static_cast<double>(others), 0.0, residuals.values[rank - 1]);
  }
  if (is_exact) {
    residuals.squares = residuals.bounds = Vector<double>::Zero(rank);
    return residuals;
  }
  // A turn x leaves the residual (S - alpha) x, outside the span, where the eigenvalues of S lie between 0
  // and the last one held; most of x has large ones.
  const double alpha = model.shift / first;
  const double last = residuals.values[rank - 1];
  const double middle = 0.5 * (last + residuals.outside);
  const double factor = 0.5 * (std::pow(last - alpha, 2) + std::pow(middle - alpha, 2));
  const double largest = std::pow(std::max(alpha, last - alpha), 2);
  const Vector<double> turns = as_eigen(model.turns).head(rank).cwiseAbs2();
  residuals.squares = factor * turns;
  residuals.bounds = largest * turns;
  add_rounding<T>(residuals);
  return residuals;
}

// Of an error with this squared residual, where another eigenvalue is so far away; 0 only without residual.
double squared_sine(double squared_residual, double gap) {
  if (squared_residual == 0.0) return 0.0;
  return gap > 0.0 ? std::min(1.0, squared_residual / gap / gap) : 1.0;
}

// Whether component i can be told from the one before it. Those without variance are a group.
bool are_apart(const Residuals& residuals, Index i) {
  if (i >= residuals.reported) return i == residuals.reported;
  const double square = std::max(residuals.squares[i - 1], residuals.squares[i]);
  return squared_sine(square, residuals.values[i - 1] - residuals.values[i]) < kIndistinct;
}

double subspace_error_of(const Residuals& residuals, const Vector<double>& squares, double other) {
  double sum = 0.0;
  for (Index i = 0; i < residuals.reported; ++i) {
    sum += squared_sine(squares[i], residuals.values[i] - other);
  }
  return std::min(kLargestError, 2.0 * sum / static_cast<double>(residuals.reported));
}

}  // namespace

template <typename T>
std::optional<double> error_estimate(const Model<T>& model) {
  const auto residuals = residuals_of(model);
  if (!residuals) return std::nullopt;
  return subspace_error_of(*residuals, residuals->squares, residuals->last());
}

template <typename T>
std::optional<double> error_bound(const Model<T>& model, double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw std::invalid_argument("confidence must lie between 0 and 1");
  }
  const auto residuals = residuals_of(model);
  if (!residuals) return std::nullopt;
  return subspace_error_of(*residuals, residuals->bounds, residuals->next());
}

template <typename T>
std::vector<double> component_errors(const Model<T>& model) {
  const auto residuals = residuals_of(model);
  if (!residuals) return {};
  const auto& values = residuals->values;
  std::vector<double> errors(static_cast<std::size_t>(model.n_components), 1.0);  // those without variance
  for (Index i = 0; i < residuals->reported; ++i) {
    double gap = values[i] - (i + 1 < values.size() ? values[i + 1] : residuals->last());
    if (i > 0) gap = std::min(gap, values[i - 1] - values[i]);
    errors[static_cast<std::size_t>(i)] = squared_sine(residuals->squares[i], gap);
  }
  return errors;
}

template <typename T>
std::vector<Index> component_groups(const Model<T>& model) {
  const auto residuals = residuals_of(model);
  if (!residuals) return {};
  std::vector<Index> sizes = {1};
  for (Index i = 1; i < model.n_components; ++i) {
    if (are_apart(*residuals, i)) {
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
