/// Which reader a file needs.
#pragma once

#include <memory>
#include <string>

#include "readers/csv.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

struct InputFormat {
  static constexpr std::int64_t kMaxColumns = 1'000'000;

  std::string format = "auto";  ///< see --format
  CsvOptions csv = {};
  bool at_once = false;                    ///< rows are wanted as they come
  bool follow = false;                     ///< a file or FIFO may grow
  std::string dataset = {};                ///< of HDF5
  bool transpose = false;                  ///< MatrixMarket: columns are the rows
  Index features = 0;                      ///< svmlight: number of columns; 0: find out
  bool allow_external = false;             ///< HDF5 may take data from other files
  std::int64_t max_columns = kMaxColumns;  ///< files with more are refused
};

/// Throws std::invalid_argument for a format that is none.
void check(const InputFormat& format);

/// The reader for a file, or for standard input if the path is "-". Formats are told apart by their first
/// bytes, whatever the name. Throws FileError without the path.
template <typename T>
std::unique_ptr<RowReader<T>> open_rows(const std::string& path, const InputFormat& format);

extern template std::unique_ptr<RowReader<float>> open_rows(const std::string&, const InputFormat&);
extern template std::unique_ptr<RowReader<double>> open_rows(const std::string&, const InputFormat&);

}  // namespace roipca::cli
