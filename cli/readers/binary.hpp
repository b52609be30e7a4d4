/// Rows of numbers back to back: what npy, idx and raw files hold behind their headers.
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
  std::optional<std::int64_t> rows;  ///< nothing: as many as there are
  std::uint64_t offset = 0;          ///< bytes before the first number
  bool by_columns = false;           ///< Fortran order
};

/// What an npy file says of its array.
struct NpyHeader {
  ElementType type;
  std::vector<std::uint64_t> shape;
  bool by_columns = false;
  std::uint64_t offset = 0;  ///< bytes before the first number
};

/// Reads the header of an array of any shape and leaves the stream behind it. Throws FileError.
NpyHeader read_npy_start(PeekedStream& stream);

/// Each reads the header and leaves the stream behind it. Throws FileError for what it cannot read.
BinaryLayout read_npy_header(PeekedStream& stream);
BinaryLayout read_idx_header(PeekedStream& stream);
/// Of "raw:TYPE:COLUMNS". Throws std::invalid_argument.
BinaryLayout raw_layout(std::string_view format);

/// The rows and columns of an array of that shape: all dimensions but the first make one row. Throws
/// FileError where there are none, or too many to count.
void set_shape(BinaryLayout& layout, const std::vector<std::uint64_t>& shape);

/// `stream` must be where the header ended.
template <typename T>
std::unique_ptr<RowReader<T>> open_binary(std::unique_ptr<PeekedStream> stream, const BinaryLayout& layout,
                                          Patience patience = Patience());

extern template std::unique_ptr<RowReader<float>> open_binary(std::unique_ptr<PeekedStream>,
                                                              const BinaryLayout&, Patience);
extern template std::unique_ptr<RowReader<double>> open_binary(std::unique_ptr<PeekedStream>,
                                                               const BinaryLayout&, Patience);

}  // namespace roipca::cli
