#include "model/scale_residuals.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/products.hpp"

namespace roipca {
namespace {

// Scales that differ by less are those of all rows.
constexpr double kSameScale = 1e-9;

}  // namespace

template <typename T>
std::optional<ScaleResiduals> scale_residuals(const Model<T>& model, Index count, double unheld,
                                              double norm) {
  const std::vector<double> ratio = model.scale_ratio();
  if (std::all_of(ratio.begin(), ratio.end(), [](double r) { return std::abs(r - 1.0) <= kSameScale; })) {
    return std::nullopt;
  }
  const Vector<double> d = as_eigen(ratio).cwiseInverse();
  const auto values = as_eigen(model.eigenvalues);
  const Index rank = (values.array() > 0.0).count();
  const Matrix<double> q = as_columns(model.basis).leftCols(rank).template cast<double>();
  const auto leading = q.leftCols(count);

  ScaleResiduals residuals;
  residuals.least = d.minCoeff();
  residuals.most = d.maxCoeff();
  const Vector<double> moved =
      ((d.array() - 1.0).matrix().asDiagonal() * leading).colwise().norm().transpose();
  residuals.bounds = (values.head(count).array() + residuals.most * norm) * moved.array();

  const Matrix<double> turned = d.asDiagonal() * leading;
  const Matrix<double> along =
      (values.head(rank).array() - unheld).matrix().asDiagonal() * linalg::product(q.transpose(), turned);
  const Matrix<double> products = d.asDiagonal() * (unheld * turned + linalg::product(q, along));
  const Matrix<double> within = linalg::product(leading.transpose(), products);
  const Index reported = std::min(model.n_components, count);
  residuals.outside = products.colwise().squaredNorm().transpose();
  residuals.outside -= within.topRows(reported).colwise().squaredNorm().transpose();
  residuals.inside = within.topRows(reported).colwise().squaredNorm().transpose();
  for (Index i = 0; i < count; ++i) {
    // The part along the component itself is its eigenvalue.
    const double own = within(i, i) * within(i, i);
    (i < reported ? residuals.inside : residuals.outside)[i] -= own;
  }
  residuals.outside = residuals.outside.cwiseMax(0.0);
  residuals.inside = residuals.inside.cwiseMax(0.0);
  return residuals;
}

template std::optional<ScaleResiduals> scale_residuals(const Model<float>&, Index, double, double);
template std::optional<ScaleResiduals> scale_residuals(const Model<double>&, Index, double, double);

}  // namespace roipca
