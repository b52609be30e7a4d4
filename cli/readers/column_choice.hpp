/// Which columns of a file are features, and which one identifies the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roipca::cli {

/// As typed. Columns are names, numbers from 1, ranges ("3-5", "3-") and regular expressions between slashes
/// ("/^x/"), which choose by names; commas separate them.
struct ColumnChoice {
  std::string columns = {};  ///< those to use; empty for all
  std::string exclude = {};  ///< those of them to leave out
  std::string id = {};       ///< one column, by name or number, that identifies rows and is no feature

  bool is_empty() const { return columns.empty() && exclude.empty() && id.empty(); }
};

/// Throws std::invalid_argument for a regular expression that is none.
void check(const ColumnChoice& choice);

struct ChosenColumns {
  std::vector<bool> wanted;  ///< one per column of the file
  std::optional<std::size_t> id = std::nullopt;
  std::string id_name = {};  ///< "id" where columns have no names
  bool by_name = false;      ///< whether a name decided
};

/// `names` are those of the columns, or may be if the first line of a text has names at all; none if there
/// are none. Throws FileError for columns that are not there.
ChosenColumns chosen_columns(const ColumnChoice& choice, const std::vector<std::string>& names,
                             std::size_t columns);

}  // namespace roipca::cli
