/// Selects columns of the rows that another reader returns.
#pragma once

#include <memory>

#include "readers/column_choice.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

/// Returns the reader's rows with only the chosen columns; dense rows stay dense and sparse ones sparse. Rows
/// are read in double, so that numbers that identify rows keep their digits. Throws FileError if a column
/// does not exist.
template <typename T>
std::unique_ptr<RowReader<T>> choose_columns(std::unique_ptr<RowReader<double>> reader,
                                             const ColumnChoice& choice);

extern template std::unique_ptr<RowReader<float>> choose_columns(std::unique_ptr<RowReader<double>>,
                                                                 const ColumnChoice&);
extern template std::unique_ptr<RowReader<double>> choose_columns(std::unique_ptr<RowReader<double>>,
                                                                  const ColumnChoice&);

}  // namespace roipca::cli
