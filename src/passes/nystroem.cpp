#include "passes/nystroem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linalg/decompositions.hpp"
#include "linalg/products.hpp"
#include "linalg/right_vectors.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace roipca {
namespace {

constexpr std::array kPlaces = {0.0, 0.5, 0.75};  // of alpha between the mean and the last Ritz value
// Largest fraction of the last Ritz value that alpha may reach if there is no residual at all.
constexpr double kMostOfLast = 0.9;
// Largest tangent by which a pass may turn a component. Beyond it, theta - alpha is not large compared with
// the residual r, and the approximation has eigenvalues that S does not have: r^2 / (theta - alpha).
constexpr double kMostTurn = 0.5;

double choose_shift(const Vector<double>& ritz, const Vector<double>& residuals, double outside,
                    Index features, Index pass, Index reported) {
  const double last = ritz[ritz.size() - 1];
  const Index others = features - ritz.size();
  const double mean = others > 0 ? std::clamp(outside / static_cast<double>(others), 0.0, last) : 0.0;
  const double place = kPlaces[static_cast<std::size_t>(pass - 1) % kPlaces.size()];
  const double least_outside = std::max(0.0, 2.0 * mean - last);  // if they lie evenly about their mean
  const double half_way = 0.5 * (ritz[std::min(reported, ritz.size()) - 1] + least_outside);
  const double before_turning = (ritz - residuals / kMostTurn).minCoeff();
  // With alpha = 0 there is no such eigenvalue, however large the residuals are: S is positive.
  return std::max(0.0,
                  std::min({mean + place * (last - mean), half_way, before_turning, kMostOfLast * last}));
}

}  // namespace

RefinedPairs refine(PassProducts known, Index pass, Index reported, double noise) {
  const Index k = known.basis.cols();
  const Matrix<double> inner = linalg::product(known.basis.transpose(), known.products);
  linalg::SymmetricEigen eigen(k);
  auto matrix = eigen.matrix(k);
  for (Index j = 0; j < k; ++j) {
    // Of the two equal entries, the product with the shorter column is more accurate.
    for (Index i = j; i < k; ++i) matrix(i, j) = inner(j, i);
  }
  const Index rank = eigen.solve_positive(k, k, noise);
  RefinedPairs refined;
  if (rank == 0) return refined;
  const Vector<double> ritz = eigen.values().head(rank);
  const Index features = known.basis.rows();
  Matrix<double> vectors = linalg::product(known.basis, eigen.vectors(rank));
  known.basis = {};
  Matrix<double> products = linalg::product(known.products, eigen.vectors(rank));
  known.products = {};
  const Vector<double> residuals = (products - vectors * ritz.asDiagonal()).colwise().norm();
  const double alpha = choose_shift(ritz, residuals, known.trace - ritz.sum(), features, pass, reported);
  const Vector<double> above = ritz.array() - alpha;
  refined.shift = alpha;
  refined.turns = residuals.cwiseQuotient(above);

  products -= alpha * vectors;
  vectors = {};
  for (Index i = 0; i < rank; ++i) products.col(i) *= 1.0 / std::sqrt(above[i]);
  const linalg::HouseholderQr qr(std::move(products));
  Matrix<double> triangle = qr.triangle();
  const double unit = triangle.cwiseAbs().maxCoeff();
  triangle /= unit;
  const linalg::RightVectors left = linalg::right_vectors(triangle.transpose(), rank);
  refined.values = (unit * left.values).array().square() + alpha;
  refined.basis = qr.times(left.vectors);
  return refined;
}

}  // namespace roipca
