/// What the first record of a CSV file tells: delimiter, names, and which fields are wanted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "readers/csv.hpp"
#include "readers/csv_records.hpp"

namespace roipca::cli {

struct CsvLayout {
  char delimiter = ',';
  bool has_header = false;
  std::size_t fields = 0;         ///< in each record
  std::vector<bool> wanted;       ///< one a field
  std::optional<std::size_t> id;  ///< the field that identifies rows, which is not wanted
  std::string id_name;
  std::vector<std::string> names;  ///< of the wanted fields; none without a header
};

/// Whether programs write this where a value is missing: nothing, one of the usual words, or one of `words`.
bool means_missing(std::string_view text, const std::vector<std::string>& words);

/// Throws FileError for columns that are not there.
CsvLayout make_layout(const Record& first, const CsvOptions& options);

}  // namespace roipca::cli
