/// Rows from a file, a block at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca::cli {

/// A row that cannot be used, and why.
struct BadRow {
  std::int64_t place = 0;
  std::string reason;
};

/// Rows of a file and their places in it: dense or sparse, as the reader has them.
template <typename T>
struct PlacedRows {
  OwnedRows<T> rows;                 ///< dense rows: the first `count` are filled
  OwnedSparseRows<T> sparse;         ///< sparse rows, if `is_sparse`
  bool is_sparse = false;            ///< set by whoever asks for rows, as the reader is
  Index room = 0;                    ///< of sparse rows: how many rows, or entries, are enough
  Index count = 0;                   ///< rows in the block
  std::vector<std::int64_t> places;  ///< of each of them in its file, as RowReader::place counts
  std::vector<std::string> ids;      ///< of each of them, if rows have ids
  std::vector<BadRow> bad;           ///< rows met on the way and left out, in the order of the file
  std::optional<double> fraction;    ///< of the file that was read by then

  /// Returns use(rows [first, count)), which are Rows<T> or SparseRows<T>.
  template <typename Use>
  decltype(auto) visit(Use&& use, Index first = 0) const {
    return is_sparse ? use(sparse.view().slice(first, count - first)) : use(rows.slice(first, count - first));
  }
  Index columns() const { return is_sparse ? sparse.cols() : rows.cols(); }
  Index capacity() const { return rows.rows(); }
  Index taken() const { return count + static_cast<Index>(bad.size()); }

  // For readers of sparse rows.
  bool is_full() const { return count >= room || sparse.entries() >= room; }
  void end_sparse_row(std::int64_t place) {
    sparse.end_row();
    places.push_back(place);
    ++count;
  }
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
  /// Name of the column that identifies rows; empty if none does.
  virtual std::string id_name() const { return {}; }
  /// What places count: "row" from 0 as NumPy does, or "line" from 1 as editors do.
  virtual const char* place() const { return "row"; }

  /// Leaves out rows, before any was read; false, and nothing is done, where only reading gets there.
  virtual bool skip(std::int64_t /*rows*/) { return false; }

  /// Whether it fills PlacedRows::sparse instead of PlacedRows::rows.
  virtual bool is_sparse() const { return false; }

  /// Fills an empty block with the next rows; it stays empty, without bad rows, at the end only.
  virtual void read(PlacedRows<T>& block) = 0;
};

}  // namespace roipca::cli
