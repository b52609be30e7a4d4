/// Rows from a file, a block at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::cli {

/// A row that cannot be used, and why.
struct BadRow {
  std::int64_t place = 0;
  std::string reason;
};

/// Rows of a file and their places in it: as many as `rows` has lines, or fewer.
template <typename T>
struct PlacedRows {
  OwnedRows<T> rows;                 ///< the first `count` are filled
  Index count = 0;                   ///< rows in the block
  std::vector<std::int64_t> places;  ///< of each of them in its file, as RowReader::place counts
  std::vector<BadRow> bad;           ///< rows met on the way and left out, in the order of the file
  std::optional<double> fraction;    ///< of the file that was read by then

  Rows<T> filled() const { return rows.slice(0, count); }
  Index capacity() const { return rows.rows(); }
  Index taken() const { return count + static_cast<Index>(bad.size()); }
};

/// Memory is that of the block and a fixed amount for reading. All functions throw FileError without the
/// path.
template <typename T>
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// Numbers in a row.
  virtual Index columns() const = 0;
  /// Rows in all; nothing where only the end will tell.
  virtual std::optional<std::int64_t> rows() const { return std::nullopt; }
  /// One a column, or none.
  virtual std::vector<std::string> names() const { return {}; }
  /// What places count: "row" from 0 as NumPy does, or "line" from 1 as editors do.
  virtual const char* place() const { return "row"; }

  /// Fills an empty block with the next rows; it stays empty, without bad rows, at the end only.
  virtual void read(PlacedRows<T>& block) = 0;
};

}  // namespace roipca::cli
