/// Rows of contiguous numbers, as npy, idx and raw files hold them after their headers.
#pragma once

#include <memory>
#include <string_view>

#include "readers/byte_stream.hpp"
#include "readers/elements.hpp"
#include "readers/patience.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

struct BinaryLayout {
  ElementType type;
  Index columns = 0;
  std::optional<std::int64_t> rows;  ///< if not known, all rows up to the end
  std::uint64_t offset = 0;          ///< bytes before the first number
  bool by_columns = false;           ///< Fortran order
};

/// The header of an npy file.
struct NpyHeader {
  ElementType type;
  std::vector<std::uint64_t> shape;
  bool by_columns = false;
  std::uint64_t offset = 0;  ///< bytes before the first number
};

/// Reads the header of an array of any shape and leaves the stream after it. Throws FileError.
NpyHeader read_npy_start(PeekedStream& stream);

/// Read the header and leave the stream after it. Throw FileError if the header is not supported.
BinaryLayout read_npy_header(PeekedStream& stream);
BinaryLayout read_idx_header(PeekedStream& stream);
/// Parses "raw:TYPE:COLUMNS". Throws std::invalid_argument.
BinaryLayout raw_layout(std::string_view format);

/// Sets the rows and columns of an array of that shape: all dimensions but the first make up one row. Throws
/// FileError if there are no rows or columns, or too many to count.
void set_shape(BinaryLayout& layout, const std::vector<std::uint64_t>& shape);

/// Opens the rows that follow the header. `stream` must be at the end of the header.
template <typename T>
std::unique_ptr<RowReader<T>> open_binary(std::unique_ptr<PeekedStream> stream, const BinaryLayout& layout,
                                          Patience patience = Patience());

extern template std::unique_ptr<RowReader<float>> open_binary(std::unique_ptr<PeekedStream>,
                                                              const BinaryLayout&, Patience);
extern template std::unique_ptr<RowReader<double>> open_binary(std::unique_ptr<PeekedStream>,
                                                               const BinaryLayout&, Patience);

}  // namespace roipca::cli
