#include "monitor/change_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roipca {
namespace {

// Fraction of a row's square that is rounding if its distance from the plane is computed as a difference.
template <typename T>
constexpr double kRounding = 64.0 * double{std::numeric_limits<T>::epsilon()};

double logarithm(double x) { return std::log(std::max(x, std::numeric_limits<double>::min())); }

template <typename T>
Index compared_components(const Model<T>& model) {
  const Index most = std::min(model.n_components, ChangeReference<T>::kMostComponents);
  return (as_eigen(model.eigenvalues).head(most).array() > 0.0).count();
}

}  // namespace

template <typename T>
ChangeReference<T>::ChangeReference(const Model<T>& model)
    : ChangeReference(model.features(), fill_components(model.options, model.features()),
                      model.options.missing == Missing::kImpute) {
  mean_ = as_eigen(model.mean);
  mean_tail_ = as_eigen(model.mean_tail);
  if (!model.scale.empty()) inverse_scale_ = as_eigen(model.scale).cwiseInverse();
  const Index count = compared_components(model);
  basis_.columns(count) = as_columns(model.basis).leftCols(count);
  inverse_variance_ = model.degrees_of_freedom() * as_eigen(model.eigenvalues).head(count).cwiseInverse();
  mean_scores_.resize(count);
  for (Index i = 0; i < count; ++i) {
    mean_scores_[i] = basis_.columns(count).col(i).template cast<double>().dot(mean_);
  }
  if (fill_model_) fill_model_ = fill_model(model);
}

template <typename T>
ChangeReference<T>::ChangeReference(Index features, Index most_filling, bool gaps)
    : mean_(Vector<double>::Zero(features)),
      mean_tail_(Vector<double>::Zero(features)),
      basis_(kMostComponents, features),
      most_filling_(most_filling),
      centred_(kAtOnce, features),
      scores_(kAtOnce, kMostComponents),
      squares_(kAtOnce),
      total_(Vector<double>::Zero(features)) {
  if (gaps) fill_model_ = FillModel::of_nothing(features);
}

template <typename T>
void ChangeReference<T>::add_logs(const GivenRows<T>& given, Index from, Index to, Logs& sums) {
  const simd::Table<T>& loops = simd::table<T>();
  static const Vector<double> ones = Vector<double>::Ones(kAtOnce);
  static const Vector<double> zeros = Vector<double>::Zero(kAtOnce);
  for (Index first = from; first < to; first += kAtOnce) {
    const Index count = std::min(kAtOnce, to - first);
    loops.collect(given.view(first, first + count),
                  {mean_.data(), mean_tail_.data(), zeros.data(), ones.data(), total_.data(), centred_.row(0),
                   centred_.stride(), squares_.data()},
                  features());
    scale(count);
    if (fill_model_) {
      for (Index i = 0; i < count; ++i) squares_[i] = fill(centred_.row(i), given.rows.row(first + i));
    }
    loops.dots(centred_.view(count), basis_.view(components()), centred_.padded_length(), scores_.data(),
               scores_.cols());
    for (Index i = 0; i < count; ++i) add(scores_.row(i).data(), squares_[i], sums);
  }
}

template <typename T>
void ChangeReference<T>::scale(Index count) {
  if (inverse_scale_.size() == 0) return;
  for (Index i = 0; i < count; ++i) {
    auto row = centred_.columns(count).col(i);
    row = row.template cast<double>().cwiseProduct(inverse_scale_).template cast<T>();
    squares_[i] = row.template cast<double>().squaredNorm();
  }
}

// Fills the gaps of a centred row. Returns its square, to which missing values contribute their expectation
// under the model and, outside of the components, the average of the present ones.
template <typename T>
double ChangeReference<T>::fill(T* row, const Row<T>& given) {
  Eigen::Map<Vector<T>> v(row, features());
  if (v.hasNaN()) filler_.fill(*fill_model_, row);
  const double square = v.template cast<double>().squaredNorm();
  const auto there = static_cast<double>(features() - as_eigen(given).array().isNaN().count());
  if (there == static_cast<double>(features())) return square;
  residual_ = v.template cast<double>();
  const auto basis = basis_.columns(components());
  double inside = 0.0;
  for (Index i = 0; i < components(); ++i) {
    const auto component = basis.col(i).template cast<double>();
    const double score = v.template cast<double>().dot(component);
    inside += score * score;
    residual_ -= score * component;
  }
  for (const Index j : filler_.gaps()) residual_[j] = 0.0;
  return inside + residual_.squaredNorm() * static_cast<double>(features()) / there;
}

template <typename T>
void ChangeReference<T>::add_logs(const GivenSparseRows<T>& given, Index from, Index to, Logs& sums) {
  const SparseRows<T>& rows = given.rows;
  const auto basis = basis_.columns(components());
  const double mean_square = mean_.squaredNorm();
  for (Index i = from; i < to; ++i) {
    auto scores = scores_.row(0).head(components());
    scores = -mean_scores_.transpose();
    double square = mean_square;
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
      const auto x = static_cast<double>(rows.value(e));
      const Index j = rows.column(e);
      square += x * (x - 2.0 * mean_[j]);
      scores += x * basis.row(j).template cast<double>();
    }
    add(scores.data(), std::max(square, 0.0), sums);
  }
}

template <typename T>
void ChangeReference<T>::add(const double* scores, double square, Logs& sums) const {
  double t2 = 0.0;
  double inside = 0.0;
  for (Index i = 0; i < components(); ++i) {
    const double squared_score = scores[i] * scores[i];
    t2 += squared_score * inverse_variance_[i];
    inside += squared_score;
  }
  sums[0] += logarithm(t2);
  sums[1] += logarithm(std::max(square - inside, kRounding<T> * square));
}

template <typename T>
void ChangeReference<T>::visit_state(state::Archive& archive) {
  Index count = components();
  archive.count(count, kMostComponents);
  bool has_scale = inverse_scale_.size() > 0;
  archive(has_scale);
  if (has_scale) inverse_scale_.conservativeResize(features());
  inverse_variance_.conservativeResize(count);
  mean_scores_.conservativeResize(count);
  archive(mean_, mean_tail_, inverse_scale_, basis_.columns(count), inverse_variance_, mean_scores_);
  if (fill_model_) fill_model_->visit_state(archive, features(), most_filling_);
}

template class ChangeReference<float>;
template class ChangeReference<double>;

}  // namespace roipca
