#include "intake/row_filler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "linalg/decompositions.hpp"
#include "linalg/products.hpp"

namespace roipca {
namespace {

// Lower bound on the noise as a fraction of the largest variance, which keeps M well conditioned.
constexpr double kLeastNoise = 1e-10;

// Smallest pivot of M for which Q_o^T Q_o is computed as I - Q_m^T Q_m, which costs less: the components are
// orthonormal up to 512 roundings of T, which must be small in comparison.
constexpr double kLeastPivot = 0x1p-6;

}  // namespace

FillModel FillModel::of_nothing(Index features) {
  FillModel model;
  model.basis.resize(features, 0);
  model.noise = std::numeric_limits<double>::min();
  model.feature_noise = Vector<double>::Zero(features);
  return model;
}

template <typename T>
FillModel FillModel::of(const Eigen::Ref<const Matrix<T>>& basis,
                        const Eigen::Ref<const Vector<double>>& variance, double total_variance,
                        const Eigen::Ref<const Vector<double>>& feature_variance, double rows) {
  const Index features = basis.rows();
  const double largest = variance.size() > 0 ? variance.maxCoeff() : 0.0;
  const double least = std::max(kLeastNoise * largest, std::numeric_limits<double>::min());
  const double root = 1.0 + std::sqrt(static_cast<double>(features) / rows);
  const double edge = std::max(root * root, 1.0 + 1e-9);
  // Every component that turns out not to be noise lowers the estimate of the noise, so that more may follow.
  // In the other direction, the estimate would start as the mean of the smallest eigenvalues, which are the
  // smallest by chance.
  FillModel model;
  Index predictors = 0;
  for (bool is_stable = false; !is_stable;) {
    const Index outside = features - predictors;
    const double left = std::max(total_variance - variance.head(predictors).sum(), 0.0);
    model.noise = std::max(outside > 0 ? left / static_cast<double>(outside) : 0.0, least);
    const Index above = (variance.array() > edge * model.noise).count();
    is_stable = above <= predictors;
    predictors = std::max(above, predictors);
  }
  model.basis = basis.template cast<double>();
  model.variance = variance.head(predictors);
  model.feature_noise = feature_variance.cwiseMin(model.noise);
  return model;
}

void FillModel::visit_state(state::Archive& archive, Index features, Index most) {
  Index count = components();
  Index predicting = predictors();
  archive.count(count, most);
  archive.count(predicting, count);
  if (basis.rows() != features || components() != count || predictors() != predicting) {
    basis.resize(features, count);
    variance.resize(predicting);
    feature_noise.resize(features);
  }
  archive(basis, variance, noise, feature_noise);
}

namespace {

template <typename T>
FillModel fill_model_of(const Model<T>& model, Index components, double rows) {
  const double freedom = model.degrees_of_freedom();
  if (!(freedom > 0.0)) return FillModel::of_nothing(model.features());
  Vector<double> feature_variance = as_eigen(model.feature_variance());
  if (!model.scale.empty()) feature_variance.array() /= as_eigen(model.scale).array().square();
  const Index rank = (as_eigen(model.eigenvalues).array() > 0.0).count();
  const Index count = std::min(components, rank);
  const Vector<double> variance = as_eigen(model.eigenvalues).head(count) / freedom;
  return FillModel::of<T>(as_columns(model.basis).leftCols(count), variance, model.trace() / freedom,
                          feature_variance, rows);
}

}  // namespace

template <typename T>
FillModel fill_model(const Model<T>& model) {
  return fill_model_of(model, fill_components(model.options, model.features()),
                       counting_rows(model.weight, model.weight_pairs));
}

template <typename T>
FillModel reported_distribution(const Model<T>& model) {
  return fill_model_of(model, model.n_components, std::numeric_limits<double>::infinity());
}

Index fill_components(Options options, Index features) {
  options.method = Method::kRoipca;
  return capacity(options, features).held;
}

double counting_rows(double weight, double weight_pairs) {
  const double squares = weight * weight - 2.0 * weight_pairs;
  return squares > 0.0 ? weight / squares * weight : std::numeric_limits<double>::infinity();
}

template <typename T>
void RowFiller::fill(const FillModel& model, T* row) {
  const Index features = model.features();
  const Index predictors = model.predictors();
  found_.clear();
  dots_.setZero(predictors);
  squares_ = 0.0;
  for (Index j = 0; j < features; ++j) {
    const auto x = static_cast<double>(row[j]);
    if (std::isnan(x)) {
      found_.push_back(j);
    } else {
      dots_ += x * model.basis.row(j).head(predictors).transpose();
      squares_ += x * x;
    }
  }
  if (!is_prepared_ || found_ != gaps_) {
    gaps_.swap(found_);
    prepare(model);
  }
  z_.setZero(predictors);
  linalg::add_applied(1.0, inverse_, dots_, z_);
  for (const Index j : gaps_) row[j] = static_cast<T>(model.basis.row(j).head(predictors).dot(z_));
}

// Computes everything that depends only on the positions of the gaps.
void RowFiller::prepare(const FillModel& model) {
  is_prepared_ = true;
  has_variance_ = has_inner_ = false;
  const Index predictors = model.predictors();
  const auto count = static_cast<Index>(gaps_.size());
  if (of_gaps_.rows() < count || of_gaps_.cols() != model.components()) {
    of_gaps_.resize(count, model.components());
  }
  for (Index i = 0; i < count; ++i) {
    of_gaps_.row(i) = model.basis.row(gaps_[static_cast<std::size_t>(i)]);
  }
  const auto of_gaps = of_gaps_.topRows(count);
  gap_products_.resize(model.components(), model.components());
  linalg::multiply(of_gaps.transpose(), of_gaps, gap_products_);
  prior_ = model.noise / (model.variance.array() - model.noise);
  inverse_ = -gap_products_.topLeftCorner(predictors, predictors);
  inverse_.diagonal().array() += 1.0 + prior_.array();
  log_determinant_ = 0.0;
  if (predictors == 0) return;
  linalg::Cholesky factors(inverse_);
  if (!factors.is_positive() || !(factors.least_pivot() > kLeastPivot)) {
    factors = linalg::Cholesky(with_products_of_values(model));
  }
  log_determinant_ = factors.log_determinant();
  inverse_ = factors.inverse();
}

// Computes M from the present values: their part of a component may be less than the rounding of the
// component.
Matrix<double> RowFiller::with_products_of_values(const FillModel& model) const {
  const Index predictors = model.predictors();
  RowMatrix<double> of_values = model.basis.leftCols(predictors);
  for (const Index j : gaps_) of_values.row(j).setZero();
  Matrix<double> m = linalg::product(of_values.transpose(), of_values);
  m.diagonal() += prior_;
  return m;
}

const Vector<double>& RowFiller::gap_variance(const FillModel& model) {
  if (has_variance_) return gap_variance_;
  has_variance_ = true;
  const auto count = static_cast<Index>(gaps_.size());
  const auto of_gaps = of_gaps_.topLeftCorner(count, model.predictors());
  gap_variance_ = model.noise * linalg::product(of_gaps, inverse_).cwiseProduct(of_gaps).rowwise().sum();
  for (Index i = 0; i < count; ++i) {
    gap_variance_[i] += model.feature_noise[gaps_[static_cast<std::size_t>(i)]];
  }
  return gap_variance_;
}

const Matrix<double>& RowFiller::inner_covariance(const FillModel& model) {
  if (has_inner_) return inner_covariance_;
  has_inner_ = true;
  const auto predicting = gap_products_.leftCols(model.predictors());
  inner_covariance_ = gap_products_;
  linalg::add_product(1.0, linalg::product(predicting, inverse_), predicting.transpose(), inner_covariance_);
  inner_covariance_ *= model.noise;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    const double less = model.noise - model.feature_noise[gaps_[i]];
    const auto of_gap = of_gaps_.row(static_cast<Index>(i));
    if (!(less > 0.0)) continue;
    for (Index c = 0; c < of_gap.size(); ++c) {
      inner_covariance_.col(c) -= (less * of_gap[c]) * of_gap.transpose();
    }
  }
  return inner_covariance_;
}

Matrix<double> RowFiller::covariance_times(const FillModel& model, const RowMatrix<double>& q) const {
  const auto count = static_cast<Index>(gaps_.size());
  const auto of_gaps = of_gaps_.topLeftCorner(count, model.predictors());
  Matrix<double> q_of_gaps(count, q.cols());
  for (Index i = 0; i < count; ++i) q_of_gaps.row(i) = q.row(gaps_[static_cast<std::size_t>(i)]);
  const Matrix<double> inner = linalg::product(inverse_, linalg::product(of_gaps.transpose(), q_of_gaps));
  for (Index i = 0; i < count; ++i) {
    q_of_gaps.row(i) *= model.feature_noise[gaps_[static_cast<std::size_t>(i)]];
  }
  linalg::add_product(model.noise, of_gaps, inner, q_of_gaps);
  return q_of_gaps;
}

// Uses the determinant and the inverse of noise I + Q_o (variance - noise) Q_o^T (Woodbury).
double RowFiller::log_density(const FillModel& model) const {
  const auto there = static_cast<double>(model.features() - static_cast<Index>(gaps_.size()));
  const double log_determinant =
      there * std::log(model.noise) - prior_.array().log().sum() + log_determinant_;
  const double distance = std::max(squares_ - dots_.dot(z_), 0.0) / model.noise;
  return -0.5 * (there * std::log(2.0 * std::numbers::pi) + log_determinant + distance);
}

template FillModel FillModel::of<float>(const Eigen::Ref<const Matrix<float>>&,
                                        const Eigen::Ref<const Vector<double>>&, double,
                                        const Eigen::Ref<const Vector<double>>&, double);
template FillModel FillModel::of<double>(const Eigen::Ref<const Matrix<double>>&,
                                         const Eigen::Ref<const Vector<double>>&, double,
                                         const Eigen::Ref<const Vector<double>>&, double);
template FillModel fill_model(const Model<float>&);
template FillModel fill_model(const Model<double>&);
template FillModel reported_distribution(const Model<float>&);
template FillModel reported_distribution(const Model<double>&);
template void RowFiller::fill(const FillModel&, float*);
template void RowFiller::fill(const FillModel&, double*);

}  // namespace roipca
