#include "basis/rotation.hpp"

#include <algorithm>

namespace roipca {
namespace {

constexpr Index kSlab = 64;  // features at a time: 64 x 40 doubles fit the first cache
constexpr Index kFew = 8;    // terms that a low-rank update may have, however few the columns

}  // namespace

template <typename T>
Rotation<T>::Rotation(Index max_columns)
    : slab_(kSlab, std::max(max_columns, kFew)),
      small_(max_columns, std::max(max_columns, kFew)),
      right_(max_columns, kFew) {}

template <typename T>
void Rotation<T>::apply(Eigen::Ref<Matrix<T>> basis, const Eigen::Ref<const Vector<T>>& extra,
                        const Eigen::Ref<const Matrix<double>>& v) {
  const Index used = v.rows() - (extra.size() > 0 ? 1 : 0);
  auto small = small_.topLeftCorner(v.rows(), v.cols());
  small = v.template cast<T>();
  for (Index start = 0; start < basis.rows(); start += kSlab) {
    const Index count = std::min(kSlab, basis.rows() - start);
    auto slab = slab_.topLeftCorner(count, v.rows());
    slab.leftCols(used) = basis.block(start, 0, count, used);
    if (extra.size() > 0) slab.col(used) = extra.segment(start, count);
    for (Index j = 0; j < v.cols(); ++j) {
      basis.col(j).segment(start, count).noalias() = slab * small.col(j);
    }
  }
}

template <typename T>
void Rotation<T>::add_low_rank(Eigen::Ref<Matrix<T>> basis, const Eigen::Ref<const Matrix<double>>& left,
                               const Eigen::Ref<const Matrix<double>>& right,
                               const Eigen::Ref<const Vector<T>>& extra,
                               const Eigen::Ref<const Vector<double>>& row) {
  const Index inner = left.cols();
  const Index terms = inner + (extra.size() > 0 ? 1 : 0);
  auto left_small = small_.topLeftCorner(basis.cols(), inner);
  left_small = left.template cast<T>();
  auto right_small = right_.topLeftCorner(basis.cols(), terms);
  right_small.leftCols(inner) = right.template cast<T>();
  if (extra.size() > 0) right_small.col(inner) = row.template cast<T>();
  for (Index start = 0; start < basis.rows(); start += kSlab) {
    const Index count = std::min(kSlab, basis.rows() - start);
    auto part = basis.middleRows(start, count);
    auto slab = slab_.topLeftCorner(count, terms);
    for (Index j = 0; j < inner; ++j) slab.col(j).noalias() = part * left_small.col(j);
    if (extra.size() > 0) slab.col(inner) = extra.segment(start, count);
    for (Index j = 0; j < basis.cols(); ++j) part.col(j).noalias() += slab * right_small.row(j).transpose();
  }
}

template class Rotation<float>;
template class Rotation<double>;

}  // namespace roipca
