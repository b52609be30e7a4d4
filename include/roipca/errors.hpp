/// The exceptions of the library. Wrong arguments throw std::invalid_argument.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "roipca/types.hpp"

namespace roipca {

/// A row of data that cannot be used. The object that refused it is as it was before the call.
class DataError : public std::runtime_error {
 public:
  DataError(Index row, const std::string& reason)
      : DataError(row, reason, "row " + std::to_string(row) + ": ") {}

  /// The row's position in the call that failed, counted from 0.
  Index row() const { return row_; }
  /// what() without the row: "NaN in column 3". Valid as long as this object is.
  std::string_view reason() const { return std::string_view(what()).substr(reason_begin_); }

  /// Returns the same error for a caller whose stream had `rows` rows before the call, so that row() is the
  /// position in that stream.
  DataError after(Index rows) const { return {rows + row_, std::string(reason())}; }

 private:
  DataError(Index row, const std::string& reason, const std::string& place)
      : std::runtime_error(place + reason), row_(row), reason_begin_(place.size()) {}

  Index row_;
  std::size_t reason_begin_;
};

/// Returns the largest magnitude that a number in a row of this weight may have.
template <typename T>
T largest_number(double weight = 1.0);
extern template float largest_number<float>(double);
extern template double largest_number<double>(double);

/// A function that is not a kernel: it returned NaN or an infinity, k(x, y) differs from k(y, x), or its
/// matrix is not positive semi-definite. The object that called it is as it was before the call.
class KernelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace roipca
