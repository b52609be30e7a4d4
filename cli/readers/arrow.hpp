/// Parquet and Arrow files. The Python package reads them: Debian has no Arrow library for C++.
#pragma once

#include <memory>
#include <string>

#include "readers/column_choice.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

/// Opens the file with Python ($ROIPCA_PYTHON, or the one beside this program, or python3), which reads only
/// the chosen columns. Throws FileError without the path, also if there is no Python with the packages roipca
/// and pyarrow.
template <typename T>
std::unique_ptr<RowReader<T>> open_arrow(const std::string& path, const ColumnChoice& choice);

extern template std::unique_ptr<RowReader<float>> open_arrow(const std::string&, const ColumnChoice&);
extern template std::unique_ptr<RowReader<double>> open_arrow(const std::string&, const ColumnChoice&);

}  // namespace roipca::cli
