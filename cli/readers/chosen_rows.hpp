/// Rows of chosen columns, of readers that read all of them.
#pragma once

#include <memory>

#include "readers/column_choice.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

/// The reader's rows with the chosen columns, dense or sparse as they are. Rows are read in double, so that
/// numbers that identify rows keep their digits. Throws FileError for columns that are not there.
template <typename T>
std::unique_ptr<RowReader<T>> choose_columns(std::unique_ptr<RowReader<double>> reader,
                                             const ColumnChoice& choice);

extern template std::unique_ptr<RowReader<float>> choose_columns(std::unique_ptr<RowReader<double>>,
                                                                 const ColumnChoice&);
extern template std::unique_ptr<RowReader<double>> choose_columns(std::unique_ptr<RowReader<double>>,
                                                                  const ColumnChoice&);

}  // namespace roipca::cli
