/// Reads rows of a file in blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca::cli {

/// A row that cannot be used, and the reason.
struct BadRow {
  std::int64_t place = 0;
  std::string reason;
};

/// Rows of a file and their positions in it. Rows are dense or sparse, depending on the reader.
template <typename T>
struct PlacedRows {
  OwnedRows<T> rows;                 ///< dense rows: the first `count` are filled
  OwnedSparseRows<T> sparse;         ///< sparse rows, if `is_sparse`
  bool is_sparse = false;            ///< set by the caller to RowReader::is_sparse
  Index room = 0;                    ///< sparse rows: the block is full at this number of rows or entries
  Index count = 0;                   ///< number of rows in the block
  std::vector<std::int64_t> places;  ///< position of each row in its file, as RowReader::place counts
  std::vector<std::string> ids;      ///< id of each row, if rows have ids
  std::vector<BadRow> bad;           ///< rows left out of the block, in the order of the file
  std::optional<double> fraction;    ///< fraction of the file that was read after this block

  /// Returns use(rows from `first` to the end of the block), where rows are Rows<T> or SparseRows<T>.
  template <typename Use>
  decltype(auto) visit(Use&& use, Index first = 0) const {
    return is_sparse ? use(sparse.view().slice(first, count - first)) : use(rows.slice(first, count - first));
  }
  Index columns() const { return is_sparse ? sparse.cols() : rows.cols(); }
  Index capacity() const { return rows.rows(); }
  Index taken() const { return count + static_cast<Index>(bad.size()); }

  // The following are for readers of sparse rows.
  bool is_full() const { return count >= room || sparse.entries() >= room; }
  void end_sparse_row(std::int64_t place) {
    sparse.end_row();
    places.push_back(place);
    ++count;
  }
};

/// Reads the rows of one file, in the memory of a block and a fixed amount for reading. All functions throw
/// FileError without the path.
template <typename T>
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// Number of columns.
  virtual Index columns() const = 0;
  /// Number of rows, or nothing if it is only known at the end.
  virtual std::optional<std::int64_t> rows() const { return std::nullopt; }
  /// One name per column, or none.
  virtual std::vector<std::string> names() const { return {}; }
  /// Name of the column that identifies rows; empty if there is none.
  virtual std::string id_name() const { return {}; }
  /// The unit of positions: "row", counted from 0 as in NumPy, or "line", counted from 1 as in editors.
  virtual const char* place() const { return "row"; }

  /// Returns what the user should know about the way in which the file is read; empty if there is nothing.
  virtual std::string caution() const { return {}; }

  /// Skips rows before the first read. Returns false, and does nothing, if that would need reading.
  virtual bool skip(std::int64_t /*rows*/) { return false; }

  /// Whether the reader fills PlacedRows::sparse instead of PlacedRows::rows.
  virtual bool is_sparse() const { return false; }

  /// Fills an empty block with the next rows. At the end, the block stays empty and has no bad rows.
  virtual void read(PlacedRows<T>& block) = 0;
};

}  // namespace roipca::cli
