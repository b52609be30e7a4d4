#include "passes/sparse_products.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simd/table.hpp"

namespace roipca {
namespace {

Index round_up(Index x, Index to) { return (x + to - 1) / to * to; }

}  // namespace

template <typename T>
SparseProducts<T>::SparseProducts(const Model<T>& model, Index rank, double unit)
    : unit_(unit),
      rank_(rank),
      columns_(round_up(rank, simd::kSparseLane<double>)),
      basis_(model.features() * columns_),
      total_(model.features() * columns_),
      pull_(Vector<double>::Zero(columns_)),
      sums_(Vector<double>::Zero(model.features())),
      mean_(unit * (as_eigen(model.mean) + as_eigen(model.mean_tail))),
      mean_scores_(Vector<double>::Zero(columns_)),
      mean_squared_(mean_.squaredNorm()),
      scores_(columns_) {
  for (Index c = 0; c < rank; ++c) {
    const T* component = model.basis.row(c).data();
    for (Index j = 0; j < model.features(); ++j) {
      basis_.data()[j * columns_ + c] = static_cast<double>(component[j]);
      mean_scores_[c] += static_cast<double>(component[j]) * mean_[j];
    }
  }
}

// Collects ascending columns, each once: entries of one column are added before they are squared.
template <typename T>
void SparseProducts<T>::take_row(const SparseRows<T>& rows, Index i) {
  const Index count = rows.start(i + 1) - rows.start(i);
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), rows.start(i));
  const auto before = [&](Index a, Index b) { return rows.column(a) < rows.column(b); };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  indices_.clear();
  values_.clear();
  for (const Index e : order) {
    const auto column = static_cast<int>(rows.column(e));
    const double value = unit_ * static_cast<double>(rows.value(e));
    if (!indices_.empty() && indices_.back() == column) {
      values_.back() += value;
    } else {
      indices_.push_back(column);
      values_.push_back(value);
    }
  }
}

template <typename T>
void SparseProducts<T>::add(const SparseRows<T>& rows, Index i, double weight, RowIdentity& identity) {
  take_row(rows, i);
  const auto count = static_cast<Index>(indices_.size());
  const auto& loops = simd::table<double>();
  loops.sparse_dots(values_.data(), indices_.data(), count, basis_.data(), columns_, columns_,
                    scores_.data());
  double square = mean_squared_;
  for (std::size_t e = 0; e < values_.size(); ++e) {
    const double value = values_[e];
    square += value * (value - 2.0 * mean_[indices_[e]]);
    sums_[indices_[e]] += weight * value;
  }
  for (Index c = 0; c < columns_; ++c) {
    scores_.data()[c] = weight * (scores_.data()[c] - mean_scores_[c]);
    pull_[c] += scores_.data()[c];
  }
  loops.sparse_add(values_.data(), indices_.data(), count, scores_.data(), total_.data(), columns_, columns_);
  weight_ += weight;
  identity.add(weight, weight * std::max(square, 0.0));
}

template <typename T>
Matrix<double> SparseProducts<T>::sum() const {
  const Eigen::Map<const RowMatrix<double>> total(total_.data(), mean_.size(), columns_);
  return total.leftCols(rank_) - mean_ * pull_.head(rank_).transpose();
}

template <typename T>
void SparseProducts<T>::report(RowIdentity& identity) const {
  identity.deviations() += (sums_ - weight_ * mean_) / unit_;
}

template <typename T>
void SparseProducts<T>::visit_state(state::Archive& archive) {
  archive(Eigen::Map<Vector<double>>(total_.data(), total_.size()), pull_, sums_, weight_);
}

template class SparseProducts<float>;
template class SparseProducts<double>;

}  // namespace roipca
