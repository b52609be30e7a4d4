/// The loops over d-long data, and the small eigenproblem, compiled once for each instruction set and chosen
/// when the program starts.
#pragma once

#include <cstddef>
#include <vector>

namespace roipca::kernels {

/// Rows are `stride` numbers apart, start at 64-byte boundaries and are padded with zeros to a multiple of
/// kLane<T> numbers; `length` is the padded length. See AlignedRows.
template <typename T>
inline constexpr std::ptrdiff_t kLane = 128 / sizeof(T);  // two vectors of the widest kind

/// Of a low-rank update.
inline constexpr std::ptrdiff_t kMaxTerms = 8;

/// Numbers of scratch that combining so many rows takes.
template <typename T>
constexpr std::ptrdiff_t panel_size(std::ptrdiff_t sources) {
  return 2 * kLane<T> * sources;
}

template <typename T>
struct RowsView {
  const T* data;
  std::ptrdiff_t stride;
  std::ptrdiff_t count;
};

/// What centring one row needs to know and finds out: see Moments.
template <typename T>
struct CentringArrays {
  const T* row;
  double* mean;
  double* tail;
  double* delta;
};

/// What collecting rows into a block needs and finds out; all arrays but the d-long ones have an entry a row.
template <typename T>
struct CollectedRows {
  const double* mean;
  const double* tail;
  const double* weights;
  const double* scales;
  double* total;  // d-long
  T* rows;
  std::ptrdiff_t stride;
  double* squares;
};

template <typename T>
struct Table {
  /// out[i * out_stride + j] = a_i . b_j over features [0, length), in double across stretches of features.
  void (*dots)(RowsView<T> a, RowsView<T> b, std::ptrdiff_t length, double* out, std::ptrdiff_t out_stride);

  /// The same for a = b: only j <= i is written.
  void (*gram)(RowsView<T> a, std::ptrdiff_t length, double* out, std::ptrdiff_t out_stride);

  /// Both, with a read once.
  void (*gram_and_dots)(RowsView<T> a, RowsView<T> b, std::ptrdiff_t length, double* gram,
                        std::ptrdiff_t gram_stride, double* dots, std::ptrdiff_t dots_stride);

  /// q_j <- sum_i coef[i * coef_stride + j] s_i for j < columns, where s are the rows of q followed by those
  /// of x. In place: q has room for `columns` rows, of which q_count are read. `panel` is scratch
  /// of panel_size for all sources.
  void (*rotate)(T* q, std::ptrdiff_t q_stride, std::ptrdiff_t q_count, RowsView<T> x, const T* coef,
                 std::ptrdiff_t coef_stride, std::ptrdiff_t columns, std::ptrdiff_t length, T* panel);

  /// q_j += sum_i coef[i * coef_stride + j] x_i for j < columns, with the same scratch.
  void (*add_rows)(T* q, std::ptrdiff_t q_stride, RowsView<T> x, const T* coef, std::ptrdiff_t coef_stride,
                   std::ptrdiff_t columns, std::ptrdiff_t length, T* panel);

  /// s_j += sum_i x_i[j] x_i for the entries from j on: the lower triangle of X^T X, column by column.
  /// `panel` is scratch of panel_size for the rows.
  void (*add_outer)(T* s, std::ptrdiff_t s_stride, RowsView<T> x, std::ptrdiff_t columns,
                    std::ptrdiff_t length, T* panel);

  /// delta = (row - mean) - tail; (mean, tail) moves by share * delta (not at all for share 0). Returns
  /// |scale delta|^2. No padding: any length, any alignment.
  double (*centre)(CentringArrays<T> arrays, std::ptrdiff_t length, double share, double scale);

  /// v = scale * delta, scatter += v^2. No padding.
  void (*scale_and_square)(const double* delta, std::ptrdiff_t length, double scale, T* v, double* scatter);

  /// For each row x_i, delta = (x_i - mean) - tail: total += weights[i] delta, rows_i = scales[i] delta,
  /// squares[i] = |rows_i|^2. No padding.
  void (*collect)(RowsView<T> x, CollectedRows<T> to, std::ptrdiff_t length);

  /// out[j] += the sum over rows of x_i[j]^2. No padding.
  void (*add_squares)(RowsView<T> x, std::ptrdiff_t length, double* out);

  /// Whether any |x| is above `limit` or a NaN. No padding.
  bool (*any_beyond)(const T* x, std::ptrdiff_t length, T limit);

  /// q_j += sum_t right[t * coef_stride + j] p_t for j < count, where p_t = sum_j left[t * coef_stride + j]
  /// q_j and p_0 has the row v added, which has the padded length as well. At least one term, at most
  /// kMaxTerms. Reads and writes q once.
  void (*add_low_rank)(T* q, std::ptrdiff_t q_stride, std::ptrdiff_t count, const T* v, const T* left,
                       const T* right, std::ptrdiff_t terms, std::ptrdiff_t coef_stride,
                       std::ptrdiff_t length);
};

/// Eigenpairs of a symmetric matrix of order n: `a` holds its lower triangle, column-major with `stride` (a
/// multiple of 8, at least n), and is replaced by the eigenvectors, one a column; `values` come in the same
/// order, which is none in particular. `work` is scratch of 3 * stride numbers. All 64-byte aligned.
using EigenSolver = void (*)(std::ptrdiff_t n, double* a, std::ptrdiff_t stride, double* values,
                             double* work);

/// Q' of the leading k eigenvectors' subspace of Q D Q^T + X^T X, for orthonormal columns Q and b rows X
/// where D outweighs what the rows have outside of Q. Q is not kept itself, but Z with Q = Z M, so that an
/// update only needs to add to Z. All matrices of k x k numbers are column-major with a `stride` that is a
/// multiple of 8.
struct LeadingUpdate {
  std::ptrdiff_t k;
  std::ptrdiff_t b;
  double least;      // no eigenvalue of D is smaller
  double tolerance;  // to which the subspace is found; Q' is orthonormal to rounding in any case
  double* inner;     // D, positive definite; becomes that of Q'
  double* normal;    // M; becomes that of Z' and Q'
  std::ptrdiff_t stride;
  const double* dots;  // X Z, row by row
  std::ptrdiff_t dots_stride;
  const double* products;  // the lower triangle of X X^T, row by row
  std::ptrdiff_t products_stride;
  double* coefficients;  // of Z and X^T in Z', column-major, of k + b rows
  std::ptrdiff_t coefficients_stride;
  double* work;  // leading_work(k, b) numbers
};

enum class LeadingStep {
  kNone,    // D does not outweigh the rest by enough, and nothing was done
  kAdd,     // Z' = Z + X^T times the last b rows of the coefficients
  kRotate,  // Z' = Q' = [Z, X^T] times the coefficients: Z would no longer be well conditioned
};

using LeadingSolver = LeadingStep (*)(const LeadingUpdate& update);
/// Numbers of scratch that it needs.
using LeadingWork = std::ptrdiff_t (*)(std::ptrdiff_t k, std::ptrdiff_t b);

/// Everything that one instruction set has.
struct Kernels {
  const char* name;
  Table<float> single_precision;
  Table<double> double_precision;
  EigenSolver eigen_solver;
  LeadingWork leading_work;
  LeadingSolver leading_solver;
};

/// What the machine has, best last.
std::vector<const Kernels*> available();

/// The kernels in use: the best that the machine has, or those that the environment variable ROIPCA_ISA names
/// (read once). Throws std::runtime_error where it names none that the machine has.
const Kernels& active();

template <typename T>
const Table<T>& table();
template <>
inline const Table<float>& table<float>() {
  return active().single_precision;
}
template <>
inline const Table<double>& table<double>() {
  return active().double_precision;
}

}  // namespace roipca::kernels
