#include "basis/rotation.hpp"

#include <algorithm>

namespace roipca {
namespace {

constexpr Index kSlab = 64;  // features at a time: 64 x 40 doubles fit into the first-level cache

}  // namespace

template <typename T>
Rotation<T>::Rotation(Index max_columns) : slab_(kSlab, max_columns), small_(max_columns, max_columns) {}

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

template class Rotation<float>;
template class Rotation<double>;

}  // namespace roipca
