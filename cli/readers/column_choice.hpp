/// Which columns of a file are features, and which one identifies the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roipca::cli {

/// The options --columns, --exclude and --id. Columns are given as names, numbers from 1, ranges ("3-5",
/// "3-") and regular expressions between slashes ("/^x/") that match names, separated by commas.
struct ColumnChoice {
  std::string columns = {};  ///< columns to use; empty: all
  std::string exclude = {};  ///< columns to leave out of those
  std::string id = {};       ///< column, by name or number, that identifies rows and is not a feature

  bool is_empty() const { return columns.empty() && exclude.empty() && id.empty(); }
};

/// Throws std::invalid_argument for an invalid regular expression.
void check(const ColumnChoice& choice);

struct ChosenColumns {
  std::vector<bool> wanted;  ///< one per column of the file
  std::optional<std::size_t> id = std::nullopt;
  std::string id_name = {};  ///< "id" if columns have no names
  bool by_name = false;      ///< whether a column was found by its name
};

/// Finds the chosen columns. `names` are the names of the columns, or the fields of the first line if it is
/// not yet known whether they are names; empty if there are none. Throws FileError if a column does not
/// exist.
ChosenColumns chosen_columns(const ColumnChoice& choice, const std::vector<std::string>& names,
                             std::size_t columns);

}  // namespace roipca::cli
