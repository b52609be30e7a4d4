/// The loops over long rows of data, compiled once per level and chosen when the program starts.
#pragma once

#include <cstddef>

#include "simd/levels.hpp"

namespace roipca::simd {

/// Rows are `stride` numbers apart, start at 64-byte boundaries and are padded with zeros to a multiple of
/// kLane<T> numbers; `length` is the padded length. See AlignedRows.
template <typename T>
inline constexpr std::ptrdiff_t kLane = 128 / sizeof(T);  // two vectors of the widest kind

/// The number of columns of a basis for sparse rows is a multiple of this: one vector of the widest kind.
template <typename T>
inline constexpr std::ptrdiff_t kSparseLane = 64 / sizeof(T);

/// Largest number of terms of a low-rank update.
inline constexpr std::ptrdiff_t kMaxTerms = 8;

/// Returns the size of the scratch for combining this number of rows.
template <typename T>
constexpr std::ptrdiff_t panel_size(std::ptrdiff_t sources) {
  return 2 * kLane<T> * sources;
}

/// Returns the size of the scratch for adding the outer products of this number of rows.
template <typename T>
constexpr std::ptrdiff_t outer_size(std::ptrdiff_t rows, std::ptrdiff_t length) {
  return rows * (length + 2 * kLane<T>);
}

template <typename T>
struct RowsView {
  const T* data;
  std::ptrdiff_t stride;
  std::ptrdiff_t count;
};

/// The arrays for centring one row: see Moments.
template <typename T>
struct CentringArrays {
  const T* row;
  double* mean;
  double* tail;
  double* delta;
};

/// The arrays for collecting rows into a block. `mean`, `tail` and `total` have one entry per feature, the
/// others one entry or row per row.
template <typename T>
struct CollectedRows {
  const double* mean;
  const double* tail;
  const double* weights;
  const double* scales;
  double* total;
  T* rows;
  std::ptrdiff_t stride;
  double* squares;
};

template <typename T>
struct Table {
  /// out[i * out_stride + j] = a_i . b_j over the features [0, length), summed in double across stretches of
  /// features.
  void (*dots)(RowsView<T> a, RowsView<T> b, std::ptrdiff_t length, double* out, std::ptrdiff_t out_stride);

  /// Does the same for a = b; only j <= i is written.
  void (*gram)(RowsView<T> a, std::ptrdiff_t length, double* out, std::ptrdiff_t out_stride);

  /// Does both, reading a once.
  void (*gram_and_dots)(RowsView<T> a, RowsView<T> b, std::ptrdiff_t length, double* gram,
                        std::ptrdiff_t gram_stride, double* dots, std::ptrdiff_t dots_stride);

  /// q_j <- sum_i coef[i * coef_stride + j] s_i for j < columns, where s are the rows of q followed by those
  /// of x. In place: q has room for `columns` rows, of which q_count are read. `panel` is scratch
  /// of panel_size for all sources.
  void (*rotate)(T* q, std::ptrdiff_t q_stride, std::ptrdiff_t q_count, RowsView<T> x, const T* coef,
                 std::ptrdiff_t coef_stride, std::ptrdiff_t columns, std::ptrdiff_t length, T* panel);

  /// q_j += sum_i coef[i * coef_stride + j] s_i for j < columns, where s are the first `own` rows of q, as
  /// they were, followed by those of x, with the same scratch.
  void (*add_rows)(T* q, std::ptrdiff_t q_stride, std::ptrdiff_t own, RowsView<T> x, const T* coef,
                   std::ptrdiff_t coef_stride, std::ptrdiff_t columns, std::ptrdiff_t length, T* panel);

  /// s_j += sum_i x_i[j] x_i for the entries from j on: the lower triangle of X^T X, column by column.
  /// Features from `columns` on are padding. `panels` is scratch of outer_size for the rows and the length.
  void (*add_outer)(T* s, std::ptrdiff_t s_stride, RowsView<T> x, std::ptrdiff_t columns,
                    std::ptrdiff_t length, T* panels);

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

  /// Returns whether any |x| is above `limit` or NaN. No padding.
  bool (*any_beyond)(const T* x, std::ptrdiff_t length, T limit);

  /// q_j += sum_t right[t * coef_stride + j] p_t for j < count, where p_t = sum_j left[t * coef_stride + j]
  /// q_j and p_0 has the row v added, which has the padded length as well. At least one term, at most
  /// kMaxTerms. Reads and writes q once.
  void (*add_low_rank)(T* q, std::ptrdiff_t q_stride, std::ptrdiff_t count, const T* v, const T* left,
                       const T* right, std::ptrdiff_t terms, std::ptrdiff_t coef_stride,
                       std::ptrdiff_t length);

  /// out[c] = sum_i values[i] z[indices[i] * stride + c] for c < columns, in double across stretches of
  /// entries. `columns` and `stride` are multiples of kSparseLane<T>, and z is 64-byte aligned.
  void (*sparse_dots)(const T* values, const int* indices, std::ptrdiff_t count, const T* z,
                      std::ptrdiff_t stride, std::ptrdiff_t columns, double* out);

  /// z[indices[i] * stride + c] += values[i] coefficients[c] for every entry i, with the same layout.
  void (*sparse_add)(const T* values, const int* indices, std::ptrdiff_t count, const T* coefficients, T* z,
                     std::ptrdiff_t stride, std::ptrdiff_t columns);

  /// Returns the sum of values[i] dense[indices[i]].
  double (*sparse_dot)(const T* values, const int* indices, std::ptrdiff_t count, const double* dense);

  /// out += X X^T v, where row i of v and of out is the eight numbers from 8 i on, and X is stored by
  /// features: feature f has the entries from starts[f] to starts[f + 1], and `rows` says of which rows.
  void (*sparse_gram)(const T* values, const int* rows, const std::ptrdiff_t* starts, std::ptrdiff_t features,
                      const double* v, double* out);
};

/// Loops that turn rows of doubles into rows of floats, for products in single precision.
struct Rounding {
  /// to_i = x_i, rounded; squares[i] = |x_i|^2 in double. The length is that of padded rows of doubles.
  void (*round_rows)(RowsView<double> x, std::ptrdiff_t length, float* to, std::ptrdiff_t to_stride,
                     double* squares);

  /// q_j += sum_i coef[i * coef_stride + j] x_i for j < columns, summed in float and added in double;
  /// rounded_j = q_j, rounded. The length is that of padded rows of doubles. `panel` is scratch of panel_size
  /// for the rows of x.
  void (*add_rounded)(double* q, std::ptrdiff_t q_stride, float* rounded, std::ptrdiff_t rounded_stride,
                      RowsView<float> x, const float* coef, std::ptrdiff_t coef_stride,
                      std::ptrdiff_t columns, std::ptrdiff_t length, float* panel);
};

/// The tables of one level for both types, and for both together.
struct Tables {
  Table<float> single_precision;
  Table<double> double_precision;
  Rounding rounding;
};

/// Return the tables of a level, which the machine must support, and those of the level in use.
const Tables& tables(Level level);
const Tables& active_tables();

template <typename T>
const Table<T>& table(const Tables& tables) = delete;
template <>
inline const Table<float>& table<float>(const Tables& tables) {
  return tables.single_precision;
}
template <>
inline const Table<double>& table<double>(const Tables& tables) {
  return tables.double_precision;
}

template <typename T>
const Table<T>& table() {
  return table<T>(active_tables());
}

}  // namespace roipca::simd
