#include "basis/rotation.hpp"

namespace roipca {

template <typename T>
Rotation<T>::Rotation(Index max_rows)
    : coefficients_(max_rows, max_rows), panel_(simd::panel_size<T>(max_rows)) {}

template <typename T>
void Rotation<T>::apply(simd::AlignedRows<T>& rows, const T* extra,
                        const Eigen::Ref<const Matrix<double>>& v) {
  const Index extras = extra == nullptr ? 0 : 1;
  coefficients_.topLeftCorner(v.rows(), v.cols()) = v.template cast<T>();
  simd::table<T>().rotate(rows.row(0), rows.stride(), v.rows() - extras, {extra, 0, extras},
                          coefficients_.data(), coefficients_.cols(), v.cols(), rows.padded_length(),
                          panel_.data());
}

template class Rotation<float>;
template class Rotation<double>;

}  // namespace roipca
