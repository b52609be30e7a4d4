/// What the library throws, beside std::invalid_argument for a wrong argument.
#pragma once

#include <stdexcept>
#include <string>

#include "roipca/types.hpp"

namespace roipca {

/// A row of data that cannot be used. The object that was asked to take it is as it was before the call.
class DataError : public std::runtime_error {
 public:
  DataError(Index row, const std::string& reason)
      : std::runtime_error("row " + std::to_string(row) + ": " + reason), row_(row) {}

  /// The row's place in the call that failed, counted from 0.
  Index row() const { return row_; }

 private:
  Index row_;
};

/// A file that cannot be read or written.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace roipca
