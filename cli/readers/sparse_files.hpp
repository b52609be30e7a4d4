/// Files of sparse rows. All functions throw FileError without the path.
#pragma once

#include <memory>
#include <string_view>

#include "readers/byte_stream.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

/// Opens a CSR matrix as scipy.sparse.save_npz writes it. The file must not be a pipe.
template <typename T>
std::unique_ptr<RowReader<T>> open_npz(std::unique_ptr<ByteStream> file);

/// Opens a MatrixMarket file in coordinate format: real, integer or pattern, general. Rows are read in the
/// order of the file, so entries must be sorted by row or, with `transpose`, which reads columns as rows, by
/// column.
template <typename T>
std::unique_ptr<RowReader<T>> open_matrix_market(std::unique_ptr<PeekedStream> stream, bool transpose);

struct SvmlightOptions {
  Index features = 0;       ///< number of columns; 0: the largest index in the file
  bool zero_based = false;  ///< whether indices start at 0 instead of 1
  bool at_once = false;     ///< return rows as they arrive
};

/// Opens a file of lines "label index:value index:value ...". Labels and qid are ignored. If the number of
/// columns is not given, the file is read twice, which a pipe does not allow.
template <typename T>
std::unique_ptr<RowReader<T>> open_svmlight(const std::string& path, std::unique_ptr<PeekedStream> stream,
                                            const SvmlightOptions& options);

/// Whether the first line of a text has the form of svmlight.
bool looks_like_svmlight(std::string_view start);

}  // namespace roipca::cli
