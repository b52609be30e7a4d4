/// Rows from JSON lines: one object or array per line.
#pragma once

#include <memory>

#include "readers/byte_stream.hpp"
#include "readers/column_choice.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

struct JsonLinesOptions {
  ColumnChoice choice = {};
  bool gaps = false;     ///< whether null or an absent value is a missing value; otherwise the row is bad
  bool at_once = false;  ///< return rows as they arrive
};

/// Opens JSON lines. The keys of the first object are the columns; an array of numbers makes one column per
/// number. Further keys in later objects are ignored. If the lines are arrays, columns have no names. Throws
/// FileError without the path.
template <typename T>
std::unique_ptr<RowReader<T>> open_json_lines(std::unique_ptr<PeekedStream> stream,
                                              const JsonLinesOptions& options);

extern template std::unique_ptr<RowReader<float>> open_json_lines(std::unique_ptr<PeekedStream>,
                                                                  const JsonLinesOptions&);
extern template std::unique_ptr<RowReader<double>> open_json_lines(std::unique_ptr<PeekedStream>,
                                                                   const JsonLinesOptions&);

}  // namespace roipca::cli
