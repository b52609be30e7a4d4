/// Rows from CSV, TSV and other text with one row per line.
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
      std::nullopt;  ///< detected in the first record if not given; a space stands for any run of blanks
  std::optional<bool> header = std::nullopt;  ///< whether the first record has names; detected if not given
  std::int64_t max_columns = std::numeric_limits<std::int64_t>::max();  ///< more are refused
  bool at_once = false;  ///< return rows as they arrive instead of waiting until a block is full
  ColumnChoice choice = {};
  bool gaps = false;                            ///< whether fields such as "NA" are missing values
  std::vector<std::string> missing_words = {};  ///< additional words for a missing value
  std::string impute_advice = "fit with --missing impute";  ///< how to fill gaps, for messages
};

template <typename T>
std::unique_ptr<RowReader<T>> open_csv(std::unique_ptr<PeekedStream> stream, const CsvOptions& options);

extern template std::unique_ptr<RowReader<float>> open_csv(std::unique_ptr<PeekedStream>, const CsvOptions&);
extern template std::unique_ptr<RowReader<double>> open_csv(std::unique_ptr<PeekedStream>, const CsvOptions&);

}  // namespace roipca::cli
