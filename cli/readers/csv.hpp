/// Rows from CSV, TSV and other text with one row a line.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "readers/byte_stream.hpp"
#include "readers/column_choice.hpp"
#include "readers/row_reader.hpp"

namespace roipca::cli {

struct CsvOptions {
  std::optional<char> delimiter =
      std::nullopt;  ///< found in the first record unless given; a space is any blank space
  std::optional<bool> header =
      std::nullopt;  ///< whether the first record has names; where it holds text unless given
  std::int64_t max_columns = std::numeric_limits<std::int64_t>::max();  ///< in the file; more are refused
  bool at_once = false;  ///< give rows out as they come instead of waiting until a block is full
  ColumnChoice choice = {};
  bool gaps = false;                            ///< whether fields without a number may be missing values
  std::vector<std::string> missing_words = {};  ///< that mean so, beside empty fields and the usual words
};

template <typename T>
std::unique_ptr<RowReader<T>> open_csv(std::unique_ptr<PeekedStream> stream, const CsvOptions& options);

extern template std::unique_ptr<RowReader<float>> open_csv(std::unique_ptr<PeekedStream>, const CsvOptions&);
extern template std::unique_ptr<RowReader<double>> open_csv(std::unique_ptr<PeekedStream>, const CsvOptions&);

}  // namespace roipca::cli
