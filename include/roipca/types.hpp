/// The types of arguments and results: views of the caller's numbers go in, owned numbers come out. None of
/// them depends on Eigen; roipca/eigen.hpp converts. Every matrix is a number of rows, each contiguous.
#pragma once

#if __cplusplus < 202002L
#error "roipca needs C++20: compile with -std=c++20"
#endif

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

namespace roipca {

using Index = std::ptrdiff_t;

namespace detail {

// Eigen's types say how far apart their numbers are; all others that have data() are taken to be contiguous.
template <typename Source>
concept HasUnitStride = !requires {
  Source::InnerStrideAtCompileTime;
}
|| requires { requires Source::InnerStrideAtCompileTime == 1; };

template <typename Source>
concept IsNoMatrix = !requires {
  Source::IsVectorAtCompileTime;
}
|| requires { requires bool(Source::IsVectorAtCompileTime); };

template <typename Source, typename T>
concept Contiguous = HasUnitStride<Source> && IsNoMatrix<Source> && requires(const Source& source) {
  { source.data() } -> std::convertible_to<const T*>;
  { source.size() } -> std::convertible_to<Index>;
};

template <typename Source>
concept AnyMatrix = requires(const Source& source) {
  { source.rows() } -> std::convertible_to<Index>;
  { source.cols() } -> std::convertible_to<Index>;
};

template <typename Source, typename T>
concept RowMajor = AnyMatrix<Source> && HasUnitStride<Source> && requires(const Source& source) {
  { source.data() } -> std::convertible_to<const T*>;
  { source.outerStride() } -> std::convertible_to<Index>;
  requires bool(Source::IsRowMajor);
};

// Memory for many numbers, aligned to cache lines. Large pieces request huge pages: touching memory for the
// first time otherwise takes longer than filling it. Throws std::bad_alloc.
void* allocate_numbers(std::size_t bytes);
void free_numbers(void* memory) noexcept;

// An allocator for std::vector that leaves numbers uninitialised unless they are given a value.
template <typename T>
struct NumberAllocator {
  using value_type = T;

  NumberAllocator() = default;
  template <typename Other>
  NumberAllocator(const NumberAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_numbers(count * sizeof(T))); }
  void deallocate(T* numbers, std::size_t /*count*/) noexcept { free_numbers(numbers); }
  template <typename Number>
  void construct(Number* /*place*/) noexcept {}
  template <typename Number>
  void construct(Number* place, const Number& value) noexcept {
    *place = value;
  }
  bool operator==(const NumberAllocator&) const = default;
};

}  // namespace detail

/// A view of contiguous numbers: one row of data, or one number per row. It is valid as long as the numbers
/// are.
template <typename T>
class Row {
 public:
  Row() = default;
  Row(const T* data, Index size) : data_(data), size_(size) {}
  /// Views std::vector, std::array, std::span, Eigen's vectors, and all other types with data() and size().
  template <detail::Contiguous<T> Numbers>
  Row(const Numbers& numbers) : data_(numbers.data()), size_(static_cast<Index>(numbers.size())) {}

  const T* data() const { return data_; }
  Index size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](Index i) const { return data_[i]; }
  /// Returns the numbers [first, first + count).
  Row slice(Index first, Index count) const { return {data_ + first, count}; }

 private:
  const T* data_ = nullptr;
  Index size_ = 0;
};

/// One weight per row: 0, or between 1e-100 and 1e100. An empty view means 1 for each row. Only the product
/// of a weight and a squared number must stay in range: see OnlinePca for the largest numbers. Digits are
/// lost if the product of a weight and a square is below 1e-300, and below 1e-323 it counts as 0.
using Weights = Row<double>;

template <typename T>
class OwnedRows;

/// A view of rows of data. Each row is contiguous, and begins `stride` numbers after the previous one. It is
/// valid as long as the numbers are.
template <typename T>
class Rows {
 public:
  Rows() = default;
  Rows(const T* data, Index rows, Index cols) : Rows(data, rows, cols, cols) {}
  Rows(const T* data, Index rows, Index cols, Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  Rows(const OwnedRows<T>& rows) : Rows(rows.data(), rows.rows(), rows.cols()) {}
  /// Views Eigen's row-major matrices, and Maps, Refs and blocks of them.
  template <detail::RowMajor<T> Matrix>
  Rows(const Matrix& matrix) : Rows(matrix.data(), matrix.rows(), matrix.cols(), matrix.outerStride()) {}
  /// Other matrices must be copied, with `to_rows(matrix)` of roipca/eigen.hpp.
  template <detail::AnyMatrix Matrix>
  requires(!detail::RowMajor<Matrix, T>) Rows(const Matrix& copy_it_with_to_rows_of_roipca_eigen_hpp)
  = delete;

  const T* data() const { return data_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index stride() const { return stride_; }
  /// Returns the number of rows times columns.
  Index size() const { return rows_ * cols_; }
  const T& operator()(Index i, Index j) const { return data_[i * stride_ + j]; }
  Row<T> row(Index i) const { return {data_ + i * stride_, cols_}; }
  /// Returns the rows [first, first + count).
  Rows slice(Index first, Index count) const { return {data_ + first * stride_, count, cols_, stride_}; }

 private:
  const T* data_ = nullptr;
  Index rows_ = 0;
  Index cols_ = 0;
  Index stride_ = 0;
};

/// Rows that own their memory, one directly after the other.
template <typename T>
class OwnedRows {
 public:
  OwnedRows() = default;
  /// Makes rows of zeros.
  OwnedRows(Index rows, Index cols) { resize(rows, cols); }

  T* data() { return numbers_.data(); }
  const T* data() const { return numbers_.data(); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// Returns the number of rows times columns.
  Index size() const { return rows_ * cols_; }
  T& operator()(Index i, Index j) { return numbers_[static_cast<std::size_t>(i * cols_ + j)]; }
  const T& operator()(Index i, Index j) const { return numbers_[static_cast<std::size_t>(i * cols_ + j)]; }
  std::span<T> row(Index i) { return {data() + i * cols_, static_cast<std::size_t>(cols_)}; }
  Row<T> row(Index i) const { return {data() + i * cols_, cols_}; }
  /// Returns the rows [first, first + count).
  Rows<T> slice(Index first, Index count) const { return Rows<T>(*this).slice(first, count); }

  /// Changes the size. Existing rows are kept only if `cols` stays the same; new rows are zeros.
  void resize(Index rows, Index cols) {
    const std::size_t before = numbers_.size();
    resize_for_overwrite(rows, cols);
    for (std::size_t i = before; i < numbers_.size(); ++i) numbers_[i] = T{0};
  }
  /// Does the same, but leaves new numbers uninitialised.
  void resize_for_overwrite(Index rows, Index cols) {
    numbers_.resize(static_cast<std::size_t>(rows * cols));
    rows_ = rows;
    cols_ = cols;
  }

  bool operator==(const OwnedRows&) const = default;

 private:
  std::vector<T, detail::NumberAllocator<T>> numbers_;
  Index rows_ = 0;
  Index cols_ = 0;
};

}  // namespace roipca
