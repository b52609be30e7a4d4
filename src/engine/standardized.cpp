#include "engine/standardized.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/mergeable.hpp"
#include "engine/reported_spectrum.hpp"
#include "intake/units.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/products.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "options/resolved.hpp"
#include "rules/mu.hpp"

namespace roipca {
namespace {

// All directions are held and the trace is known in double, but eigenvalues come from components that are
// rounded to T. What they lack of the trace because of that is not variance in other directions.
template <typename T>
void add_up_to_trace(Spectrum<T>& spectrum) {
  const double sum = spectrum.values.sum();
  // Squares of numbers that are rounded to T, one per feature.
  const double rounding =
      static_cast<double>(spectrum.basis.rows() + 16) * double{std::numeric_limits<T>::epsilon()};
  if (std::abs(spectrum.trace - sum) <= rounding * spectrum.trace) spectrum.values *= spectrum.trace / sum;
}

// S = mu I + Q (Lambda - mu I) Q^T for rows divided by model.scale, and D S D for rows divided by `scale`,
// where D = model.scale / scale. With D Q = P R, the eigenvectors are P times those of the small matrix R
// (Lambda - mu I) R^T, and mu adds mu |D u|^2 to the eigenvalue of an eigenvector u.
template <typename T>
Model<T> rescaled(Model<T> model, const Vector<double>& scale) {
  const Vector<double> ratio = as_eigen(model.scale).cwiseQuotient(scale);
  const Vector<double> held_values = as_eigen(model.eigenvalues);
  const Index rank = (held_values.array() > 0.0).count();
  const Index features = model.features();
  const Options options = with_choices(model);
  const Mu mu_option = options.method == Method::kIpca ? Mu::zero() : options.mu;
  const double mu = unheld_eigenvalue(mu_option, held_values.head(rank), capacity(options, features).held,
                                      features, model.scatter_trace, model.weight);

  const Vector<double> scatter = (as_eigen(model.scatter).array() / scale.array() / scale.array()).matrix();
  model.scale = to_vector(scale);
  model.scatter_trace = scatter.sum();
  model.probe_products.clear();  // those of D S D are not known
  if (rank == 0) return model;

  const Matrix<double> q =
      ratio.asDiagonal() * as_columns(model.basis).leftCols(rank).template cast<double>();
  const linalg::HouseholderQr qr(q);
  const Matrix<double> r = qr.triangle();
  const Vector<double> above = (held_values.head(rank).array() - mu).cwiseMax(0.0);
  const Matrix<double> weighted = r * above.asDiagonal();
  linalg::SymmetricEigen eigen(rank);
  linalg::multiply(weighted, r.transpose(), eigen.matrix(rank));
  eigen.solve(rank);
  const Matrix<double> vectors = qr.times(eigen.vectors(rank));
  const Vector<double> outside = mu * (ratio.asDiagonal() * vectors).colwise().squaredNorm().transpose();

  Spectrum<T> spectrum = {vectors.template cast<T>(), eigen.values() + outside, model.scatter_trace};
  if (options.method == Method::kExact) add_up_to_trace<T>(spectrum);
  Rounding rounding = rounding_of(options, model.rows, scatter / model.weight, model.degrees_of_freedom());
  make_reportable(spectrum, rounding);
  auto basis = as_columns(model.basis);
  basis.leftCols(rank) = spectrum.basis;
  complete<T>(basis, rank);
  as_eigen(model.eigenvalues).head(rank) = spectrum.values;
  return model;
}

// Returns the standard deviations of all rows of two models; 1 for features that do not vary.
Vector<double> common_scale(const Vector<double>& scatter, double freedom) {
  return scatter.unaryExpr([freedom](double s) {
    const double scale = freedom > 0.0 ? std::sqrt(s / freedom) : 0.0;
    return is_usable_scale(scale) ? scale : 1.0;
  });
}

// Filled values are accurate to rounding in the units in which they were filled. A feature that varies no
// more than that does not vary.
template <typename T>
Model<T> without_rounding_of_gaps(Model<T> model) {
  constexpr double kRounding = 8.0 * double{std::numeric_limits<T>::epsilon()};
  for (std::size_t j = 0; j < model.feature_weight.size(); ++j) {
    if (model.feature_weight[j] >= model.weight) continue;
    const double deviation = std::sqrt(model.scatter[j] / model.weight);
    if (deviation <= kRounding * std::max(model.scale[j], std::abs(model.mean[j]))) model.scatter[j] = 0.0;
  }
  return model;
}

}  // namespace

template <typename T>
Model<T> standardized(Model<T> model) {
  model = without_rounding_of_gaps(std::move(model));
  const Vector<double> scale = common_scale(as_eigen(model.scatter), model.degrees_of_freedom());
  return rescaled(std::move(model), scale);
}

template <typename T>
Model<T> merge_standardized(const Model<T>& first, const Model<T>& second) {
  const Model<T> a = without_rounding_of_gaps(first);
  const Model<T> b = without_rounding_of_gaps(second);
  const bool is_exact = a.resolved.method == Method::kExact && b.resolved.method == Method::kExact;
  Units units = units_of(a);
  if (a.scale == b.scale && !is_exact) {
    return from_units(merge_mergeable(to_units(a, units), to_units(b, units)), units);
  }
  const double weight = a.weight + b.weight;
  const Vector<double> jump =
      (as_eigen(b.mean) - as_eigen(a.mean)) + (as_eigen(b.mean_tail) - as_eigen(a.mean_tail));
  const Vector<double> step = std::sqrt(a.weight / weight * b.weight) * jump;
  const double pairs = a.weight_pairs + b.weight_pairs + a.weight * b.weight;
  units.scale = common_scale(as_eigen(a.scatter) + as_eigen(b.scatter) + step.cwiseAbs2(),
                             a.options.center ? 2.0 * pairs / weight : weight);
  return from_units(
      merge_mergeable(to_units(rescaled(a, units.scale), units), to_units(rescaled(b, units.scale), units)),
      units);
}

template Model<float> standardized(Model<float>);
template Model<double> standardized(Model<double>);
template Model<float> merge_standardized(const Model<float>&, const Model<float>&);
template Model<double> merge_standardized(const Model<double>&, const Model<double>&);

}  // namespace roipca
