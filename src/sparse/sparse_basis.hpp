/// The components of sparse rows, kept so that a row costs its nonzeros.
#pragma once

#include <memory>
#include <vector>

#include "simd/aligned_buffer.hpp"
#include "simd/aligned_rows.hpp"
#include "sparse/csr_rows.hpp"
#include "sparse/sparse_moments.hpp"
#include "state/archive.hpp"

namespace roipca {

/// A basis B of features x columns numbers that grows by sparse rows about a moving mean:
///
///     B = Z M + X^T N - mean g^T
///
/// Z has the numbers of a feature together. X are pending rows, sparse as they were given. Updates only touch
/// small matrices, or the numbers of the features that occur: products of a row with B cost O(nonzeros
/// (columns + pending rows)). From time to time everything is gathered in Z, which costs O(features
/// columns^2).
///
/// Products with the mean are updated, too: when the mean moves to alpha mean + X^T beta, so do they.
template <typename T>
class SparseBasis {
 public:
  using Small = Eigen::MatrixXd;

  SparseBasis(Index features, Index capacity, Index max_rows);

  Index columns() const { return columns_; }

  /// Starts with the given columns.
  void start(const simd::AlignedRows<T>& columns, Index count, const SparseMoments<T>& moments);

  /// Gathers the pending rows if the next block needs it: a mean that keeps only `alpha` of itself would
  /// otherwise lead to differences of large numbers.
  void prepare(double alpha, const SparseMoments<T>& moments);

  /// Computes the products of `rows`, and of the mean as one more row, with B and with each other.
  void measure(const CsrRows<T>& rows, const SparseMoments<T>& moments);
  /// Rows of the products with B, after `measure`; the last one is that of the mean.
  const double* dots(Index i) const { return dots_.row(i); }
  /// Products of the rows and the mean with each other, symmetric.
  const Small& gram() const { return gram_; }

  /// The change of B by a block: B <- B turn + rows^T of_rows - mean of_mean^T (without `turn`: B + ...).
  /// Then the mean moves to alpha mean + rows^T beta. The rows are those of the last `measure`.
  struct Change {
    const Small* turn = nullptr;  // columns x new columns
    Small of_rows;                // one row per row
    Eigen::VectorXd of_mean;
    Eigen::VectorXd beta;
    double alpha = 1.0;
  };
  void update(const CsrRows<T>& rows, Change change, const SparseMoments<T>& moments);
  /// Sets B <- B turn.
  void turn(const Small& turn);
  /// Call it after the mean has moved: gathers everything in Z if that is cheap or due.
  void tidy(const SparseMoments<T>& moments);

  /// For a copy that only takes one more block and is then read: it keeps sharing Z.
  void only_read() { is_reading_ = true; }

  /// Returns B with one row per column, as for dense rows. Takes O(features columns) memory, and O(features
  /// columns^2) time if rows are pending.
  simd::AlignedRows<T> gathered(const SparseMoments<T>& moments) const;

  /// Makes Z all of B, for the functions below.
  void collect(const SparseMoments<T>& moments) {
    if (!is_collected()) gather(moments);
  }
  /// Returns X B for rows X: one row per column.
  simd::AlignedRows<double> products_with(const CsrRows<T>& rows) const;
  const Eigen::VectorXd& mean_products() const { return mean_in_z_; }
  double mean_squared() const { return mean_squared_; }

  /// Sets B <- B turn + X^T of_rows - mean of_mean^T for many rows X, given by features. Call `tidy`
  /// afterwards.
  struct Rebuilding {
    const Small& turn;
    const CsrRows<T>& by_feature;
    const T* of_rows;  // row by row, `stride` numbers apart
    Index stride;
    const Eigen::VectorXd& of_mean;
  };
  void rebuild(const Rebuilding& how, const SparseMoments<T>& moments);
  /// Computes the same into other memory: the columns as rows, `stride` numbers apart.
  void rebuild_into(const Rebuilding& how, const SparseMoments<T>& moments, T* columns, Index stride) const;

  void visit_state(state::Archive& archive);

 private:
  bool is_direct() const {
    return !is_reading_ && stored_ > 0 && pending_.count() == 0 && (is_identity_ || m_inverse_.size() > 0);
  }
  bool is_collected() const {
    return (is_identity_ || stored_ == 0) && pending_.count() == 0 && g_.isZero(0.0);
  }
  void gather(const SparseMoments<T>& moments);
  T* writable();
  template <typename Take>
  void for_panels(const SparseMoments<T>& moments, Take&& take) const;
  template <typename Take>
  void for_panels_of(const Rebuilding& how, bool turns, const SparseMoments<T>& moments, Take&& take) const;
  void invert_m();
  void measure_mean(const SparseMoments<T>& moments);
  void move_mean(Index count, const Change& change, bool directly);
  void add_directly(const CsrRows<T>& rows, const Small& of_rows);
  void append(const CsrRows<T>& rows, const Small& of_rows);
  void multiply(simd::AlignedRows<double>& rows, Index count, const Small& by);

  Index features_;
  Index capacity_;
  Index stride_;  // distance between features, in numbers
  Index max_rows_;
  Index most_pending_;

  std::shared_ptr<simd::AlignedBuffer<T>> z_;  // shared by copies until one of them writes; null while empty
  Index stored_ = 0;                           // number of columns of Z
  Index columns_ = 0;                          // number of columns of B
  bool is_identity_ = true;
  simd::AlignedRows<double> m_;  // one row per column of Z
  Small m_inverse_;              // empty if M is not well conditioned
  CsrRows<T> pending_;
  simd::AlignedRows<double> n_;  // one row per pending row
  Eigen::VectorXd g_;
  Eigen::VectorXd mean_in_z_;        // mean^T Z
  Eigen::VectorXd mean_in_pending_;  // X mean
  // While every row so far is pending: mean = X^T shares. Not so after components or a mean were given.
  bool has_all_rows_ = true;
  Eigen::VectorXd shares_;
  double mean_squared_ = 0.0;
  double growth_ = 1.0;  // growth of g by movements of the mean since Z was gathered
  Index blocks_pending_ = 0;

  bool is_reading_ = false;
  bool added_ = false;          // whether the last update only added to B; until `tidy`
  bool is_mean_stale_ = false;  // whether products with the mean must be computed again; until `tidy`

  // Results of the last `measure`, in the order in which they are computed.
  std::vector<double> dense_row_;  // zero between the rows
  Small gram_;
  simd::AlignedRows<double> in_z_;  // rows times Z
  Small in_pending_;                // one row per pending row
  simd::AlignedRows<double> dots_;
  // Scratch of products.
  simd::AlignedRows<double> turned_;
  simd::AlignedRows<double> factor_;
  Eigen::VectorXd panel_;
};

extern template class SparseBasis<float>;
extern template class SparseBasis<double>;

}  // namespace roipca
