/// Files of sparse rows. All functions throw FileError without the path.
#pragma once

#include <memory>
#include <string_view>

#include "readers/byte_stream.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

/// A CSR matrix as scipy.sparse.save_npz writes it. The file must not be a pipe.
template <typename T>
std::unique_ptr<RowReader<T>> open_npz(std::unique_ptr<ByteStream> file);

/// A MatrixMarket file of coordinates: real, integer or pattern, general. Rows are read as they come, so its
/// entries must be sorted by row; with `transpose`, which makes a row of each column, by column.
template <typename T>
std::unique_ptr<RowReader<T>> open_matrix_market(std::unique_ptr<PeekedStream> stream, bool transpose);

struct SvmlightOptions {
  Index features = 0;       ///< columns; 0: as many as the largest index of the file
  bool zero_based = false;  ///< whether the first column has index 0; otherwise it has 1
  bool at_once = false;     ///< give rows out as they come
};

/// A file of lines "label index:value index:value ...". Labels and qid are left out. Without the number of
/// columns, reads the file twice, which a pipe does not allow.
template <typename T>
std::unique_ptr<RowReader<T>> open_svmlight(const std::string& path, std::unique_ptr<PeekedStream> stream,
                                            const SvmlightOptions& options);

/// Whether the first line of a text is one of svmlight.
bool looks_like_svmlight(std::string_view start);

}  // namespace roipca::cli
