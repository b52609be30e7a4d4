#include "roipca/batch_pca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "basis/orthonormal.hpp"
#include "intake/row_check.hpp"
#include "intake/units.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/products.hpp"
#include "linalg/right_vectors.hpp"
#include "model/probe_directions.hpp"

namespace roipca {
namespace {

// For a tall or square matrix: uses the triangle of its QR decomposition, which is small and has the same
// right vectors.
linalg::RightVectors right_vectors_of_tall(const Matrix<double>& a, Index wanted) {
  return linalg::right_vectors(linalg::HouseholderQr(a).triangle(), wanted);
}

// For a wide matrix: its transpose is Q R, so the right vectors are Q times the left ones of R.
linalg::RightVectors right_vectors_of_wide(const Matrix<double>& a, Index wanted) {
  const linalg::HouseholderQr qr(a.transpose());
  auto [values, left] = linalg::right_vectors(qr.triangle().transpose(), wanted);
  return {std::move(values), qr.times(left)};
}

Vector<double> aged_weights(const Weights& weights, Index rows, double forgetting) {
  Vector<double> aged = weights.empty() ? Vector<double>::Ones(rows) : Vector<double>(as_eigen(weights));
  double age_factor = 1.0;
  for (Index i = rows - 1; i >= 0; --i) {
    if (aged[i] == 0.0) continue;
    aged[i] *= age_factor;
    age_factor *= forgetting;
  }
  return aged;
}

// Returns the sum over i < j of w_i w_j, from positive terms, unlike half of |sum|^2 - sum of squares.
double sum_over_pairs(const Vector<double>& w) {
  double before = 0.0;
  double pairs = 0.0;
  for (const double weight : w) {
    pairs += before * weight;
    before += weight;
  }
  return pairs;
}

// Returns a + b - sum exactly, for the rounded sum (Knuth).
Vector<double> error_of_sum(const Vector<double>& a, const Vector<double>& b, const Vector<double>& sum) {
  const Vector<double> b_in_sum = sum - a;
  return (a - (sum - b_in_sum)) + (b - b_in_sum);
}

}  // namespace

template <typename T>
Model<T> batch_pca(const Rows<T>& rows, const Options& options, const Weights& weights) {
  check(options);
  check_shape<T>(rows, weights, 0);
  check_values<T>(rows, weights);
  const auto [reported, held] = capacity(options, rows.cols());
  const Vector<double> w = aged_weights(weights, rows.rows(), options.forgetting);

  Model<T> model;
  model.options = options;
  model.resolved.method = resolve(options, rows.cols());
  model.n_components = reported;
  model.rows = weights.empty() ? rows.rows() : (as_eigen(weights).array() > 0.0).count();
  model.weight = w.sum();
  model.weight_pairs = sum_over_pairs(w);
  if (model.rows == 0) throw std::invalid_argument("no row has a positive weight");

  Matrix<double> a = as_eigen(rows).template cast<double>();
  Vector<double> mean = Vector<double>::Zero(rows.cols());
  Vector<double> mean_tail = mean;
  if (options.center) {
    // Relative to the heaviest row, so that a constant column is exactly 0, and in fractions of the weight,
    // so that no sum overflows. The second sum adds the rounding error of the first.
    Index heaviest = 0;
    w.maxCoeff(&heaviest);
    const Vector<double> origin = a.row(heaviest);
    a.rowwise() -= origin.transpose();
    const Vector<double> parts = w / model.weight;
    const Vector<double> offset = linalg::apply(a.transpose(), parts);
    a.rowwise() -= offset.transpose();
    const Vector<double> rest = linalg::apply(a.transpose(), parts);
    a.rowwise() -= rest.transpose();
    mean = origin + offset;
    mean_tail = rest + error_of_sum(origin, offset, mean);
    // Only the mean is read, so it takes the leading digits of the tail.
    const Vector<double> first = mean;
    mean += mean_tail;
    mean_tail -= mean - first;
  }
  model.mean = to_vector(mean);
  model.mean_tail = to_vector(mean_tail);
  a = w.cwiseSqrt().asDiagonal() * a;
  Vector<double> scale = Vector<double>::Ones(rows.cols());
  if (options.standardize) {
    const double freedom = model.degrees_of_freedom();
    for (Index j = 0; j < rows.cols(); ++j) {
      const double deviation = freedom > 0.0 ? a.col(j).stableNorm() / std::sqrt(freedom) : 0.0;
      if (is_usable_scale(deviation)) scale[j] = deviation;
    }
    a = a * scale.cwiseInverse().asDiagonal();
    model.scale = to_vector(scale);
  }

  const double largest = a.cwiseAbs().maxCoeff();
  const double unit = largest > 0.0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1.0;
  a *= unit;
  const Vector<double> scatter = a.colwise().squaredNorm().transpose() / unit / unit;
  model.scatter = to_vector(scatter.cwiseProduct(scale).cwiseProduct(scale));
  model.scatter_trace = scatter.sum();
  if (options.probes > 0) {
    const Matrix<double> directions = probe_directions<T>(a.cols(), options.probes).template cast<double>();
    const Matrix<double> products = linalg::product(a.transpose(), linalg::product(a, directions));
    model.probe_products = to_vector(Vector<double>(products.reshaped() / unit / unit));
  }
  auto [s, v] = a.rows() >= a.cols() ? right_vectors_of_tall(a, held) : right_vectors_of_wide(a, held);

  const double size = static_cast<double>(std::max(a.rows(), a.cols()));
  const double noise = size * std::numeric_limits<double>::epsilon() * s[0];
  const Index rank = std::min(held, (s.array() > noise).count());
  const Index columns = std::max(rank, reported);
  model.basis.resize(columns, rows.cols());
  auto basis = as_columns(model.basis);
  basis.leftCols(rank) = v.leftCols(rank).template cast<T>();
  complete<T>(basis, rank);
  model.eigenvalues.resize(static_cast<std::size_t>(columns));
  as_eigen(model.eigenvalues).head(rank) = s.head(rank).cwiseAbs2() / unit / unit;
  return model;
}

template Model<float> batch_pca(const Rows<float>&, const Options&, const Weights&);
template Model<double> batch_pca(const Rows<double>&, const Options&, const Weights&);

}  // namespace roipca
