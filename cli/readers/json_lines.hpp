/// Rows from JSON lines: one object or array per line.
#pragma once

#include <memory>

#include "readers/byte_stream.hpp"
#include "readers/column_choice.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

/// The keys of the first object are the columns; an array of numbers among its values is one column per
/// number. Later objects may have more keys, which are ignored. If lines are arrays, columns have no names.
/// `at_once`: give rows out as they come. Throws FileError without the path.
template <typename T>
std::unique_ptr<RowReader<T>> open_json_lines(std::unique_ptr<PeekedStream> stream,
                                              const ColumnChoice& choice, bool at_once);

extern template std::unique_ptr<RowReader<float>> open_json_lines(std::unique_ptr<PeekedStream>,
                                                                  const ColumnChoice&, bool);
extern template std::unique_ptr<RowReader<double>> open_json_lines(std::unique_ptr<PeekedStream>,
                                                                   const ColumnChoice&, bool);

}  // namespace roipca::cli
