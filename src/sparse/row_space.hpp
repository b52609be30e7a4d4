/// Many sparse rows and the components, as one matrix that is given by its products.
#pragma once

#include "simd/aligned_buffer.hpp"
#include "simd/aligned_rows.hpp"
#include "sparse/csr_rows.hpp"
#include "sparse/shared_features.hpp"

namespace roipca {

/// The measurements of the rows of a block before they are added, in double: one number or one row per row.
template <typename T>
struct KnownRows {
  const CsrRows<T>& rows;
  const CsrRows<T>& by_feature;               // the same rows, by features
  const simd::AlignedRows<double>& in_basis;  // X Q: one row per component
  Vector<double> squares;                     // |x|^2
  Vector<double> with_mean;                   // x . mean
  Vector<double> mean_in_basis;
  double mean_squared = 0.0;
};

/// How the rows of a block count: see SparseBlock.
struct RowWeights {
  Vector<double> weights;
  double weight = 0.0;
  double before = 0.0;  // weight of all rows before the block
  bool is_centred = true;
};

/// The scatter of a stream is mu I + Q D Q^T, and a block of rows x of weight w about the mean adds V^T V for
/// the rows
///
///     v = w^(1/2) (x - mean of the block), and (n W / (n + W))^(1/2) (mean of the block - mean before it),
///
/// where n is the weight before the block and W the weight of the block. With G = [D^(1/2) Q^T; V], the new
/// scatter is mu I + G^T G. An eigenvector u of G G^T, of order components + rows + 1, gives its eigenvector
/// G^T u. The products of G G^T with vectors take O(nonzeros + rows components): nothing here has a number
/// per feature.
template <typename T>
class RowSpace {
 public:
  RowSpace(const KnownRows<T>& known, const RowWeights& weights, Vector<double> diagonal);

  /// Returns false if the remainder of a row after subtracting the mean is rounding, or little more.
  bool is_clear() const { return is_clear_; }
  /// Returns tr V^T V.
  double added() const { return added_; }
  Index order() const { return rank_ + count_ + (has_jump_ ? 1 : 0); }

  /// Sets the first `count` rows of `products` to those of G G^T with the vectors, at most eight.
  void multiply(const simd::AlignedRows<double>& vectors, simd::AlignedRows<double>& products, Index count);
  /// Returns G Q, one row per component: estimates of the eigenvectors.
  simd::AlignedRows<double> estimates() const;

  /// Removes the rounding that eigenvectors of small eigenvalues have of large ones. The products of their
  /// combinations are those of the vectors with G G^T, so no feature is touched. A vector is corrected only
  /// by those before it. Returns false, and changes nothing, if there is more than rounding to remove.
  bool orthonormalise(simd::AlignedRows<double>& vectors, const Eigen::Ref<const Vector<double>>& values,
                      Index count);

  /// Returns G^T times the vectors, divided by the roots of `values`: Q turn + X^T of_rows - mean of_mean^T.
  struct Combination {
    Matrix<double> turn;
    simd::AlignedBuffer<T> of_rows;  // row by row, `stride` apart
    Index stride;
    Vector<double> of_mean;
  };
  Combination combined(const simd::AlignedRows<double>& vectors,
                       const Eigen::Ref<const Vector<double>>& values, Index count) const;

 private:
  void find_clear();

  const KnownRows<T>& known_;
  Index rank_;
  Index count_;
  bool is_centred_;
  bool has_jump_;
  bool is_clear_ = true;
  double added_ = 0.0;
  double of_jump_ = 0.0;
  Vector<double> roots_;
  Vector<double> shares_;  // share of each row in the mean of the block; 0 without centring
  Vector<double> diagonal_roots_;
  SharedFeatures<T> shared_;
  // Scratch: coefficients of the rows, and products with them.
  simd::AlignedRows<double> coefficients_;
  simd::AlignedRows<double> sums_;
  simd::AlignedBuffer<double> panel_in_;
  simd::AlignedBuffer<double> panel_out_;
  RowMatrix<double> dots_;
  RowMatrix<double> scaled_;
  Vector<double> panel_;
};

extern template class RowSpace<float>;
extern template class RowSpace<double>;

}  // namespace roipca
