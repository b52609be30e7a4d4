/// The layout of a CSV file, found from its first record: the delimiter, the names and the wanted fields.
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
  bool may_be_header = false;     ///< the first record is taken as data, but its numbers count columns
  std::size_t fields = 0;         ///< number of fields per record
  std::vector<bool> wanted;       ///< one flag per field
  std::optional<std::size_t> id;  ///< the field that identifies rows; it is not wanted
  std::string id_name;
  std::vector<std::string> names;  ///< names of the wanted fields; empty without a header
};

/// Returns whether the text stands for a missing value: it is empty, one of the usual words, or one of
/// `words`.
bool means_missing(std::string_view text, const std::vector<std::string>& words);

/// Throws FileError if a chosen column does not exist.
CsvLayout make_layout(const Record& first, const CsvOptions& options);

}  // namespace roipca::cli
