/// Chooses the reader for a file.
#pragma once

#include <memory>
#include <string>

#include "readers/csv.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

struct InputFormat {
  static constexpr std::int64_t kMaxColumns = 1'000'000;

  std::string format = "auto";  ///< as for --format
  CsvOptions csv = {};
  bool at_once = false;                    ///< return rows as they arrive
  bool follow = false;                     ///< whether the last file or named pipe may grow
  std::string dataset = {};                ///< HDF5: path of the dataset
  bool transpose = false;                  ///< MatrixMarket: read columns as rows
  Index features = 0;                      ///< svmlight: number of columns; 0: detect it
  bool allow_external = false;             ///< HDF5: allow data in other files
  std::int64_t max_columns = kMaxColumns;  ///< files with more columns are refused
};

/// Throws std::invalid_argument for an unknown format.
void check(const InputFormat& format);

/// Opens a file, or standard input for "-". The format is detected from the first bytes, whatever the name of
/// the file. Throws FileError without the path.
template <typename T>
std::unique_ptr<RowReader<T>> open_rows(const std::string& path, const InputFormat& format);

extern template std::unique_ptr<RowReader<float>> open_rows(const std::string&, const InputFormat&);
extern template std::unique_ptr<RowReader<double>> open_rows(const std::string&, const InputFormat&);

}  // namespace roipca::cli
