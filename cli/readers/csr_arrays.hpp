/// Rows from the three arrays of a CSR matrix in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "readers/row_reader.hpp"

namespace roipca::cli {

/// A vector in a file, read once from beginning to end.
template <typename V>
class VectorSource {
 public:
  virtual ~VectorSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills all of `to` with the next numbers. Throws FileError.
  virtual void read(std::span<V> to) = 0;
};

template <typename T>
struct CsrArrays {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::unique_ptr<VectorSource<std::int64_t>> starts;  ///< indptr
  std::unique_ptr<VectorSource<std::int64_t>> indices;
  std::unique_ptr<VectorSource<T>> values;  ///< data
};

/// Reads the arrays side by side in pieces, in the memory of one block. Column indices and values are not
/// checked here.
template <typename T>
class CsrReader : public RowReader<T> {
 public:
  /// Throws FileError if the sizes of the arrays do not match.
  explicit CsrReader(CsrArrays<T> arrays);

  Index columns() const override { return static_cast<Index>(arrays_.columns); }
  std::optional<std::int64_t> rows() const override { return arrays_.rows; }
  bool is_sparse() const override { return true; }
  void read(PlacedRows<T>& block) override;

 private:
  std::int64_t next_end();
  void read_entries(std::int64_t count, std::span<const std::int64_t> ends, PlacedRows<T>& block);

  CsrArrays<T> arrays_;
  std::int64_t next_ = 0;           // number of the next row
  std::int64_t entry_ = 0;          // position of its first entry
  std::vector<std::int64_t> ends_;  // ends of rows that were read ahead
  std::size_t used_ = 0;            // number of those already used
};

extern template class CsrReader<float>;
extern template class CsrReader<double>;

}  // namespace roipca::cli
