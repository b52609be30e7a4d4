/// Chooses random rows of a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::cli {

/// Chooses rows as they pass, each with the same probability: those whose row numbers have the smallest
/// hashes. The choice depends only on the number of rows, not on how they are cut into blocks.
///
/// Stores only row numbers. The caller stores what it needs of a row at the row's place, which a later row
/// may take over.
class RowChoice {
 public:
  struct Chosen {
    std::int64_t row = 0;  ///< zero-based position in the stream
    Index place = 0;
  };

  /// Chooses `capacity` rows, at least 1, or all rows if there are fewer.
  explicit RowChoice(Index capacity) : capacity_(capacity) {}

  /// Adds the next row. Returns its place, below `capacity`, if the row is chosen for now.
  std::optional<Index> pass();

  std::int64_t rows() const { return rows_; }

  /// Returns the chosen rows in the order of the stream.
  std::vector<Chosen> chosen() const;

 private:
  struct Entry {
    std::uint64_t hash = 0;
    Chosen chosen;
  };
  static bool smaller_hash(const Entry& a, const Entry& b) { return a.hash < b.hash; }

  Index capacity_;
  std::int64_t rows_ = 0;
  std::vector<Entry> heap_;  // heap with the largest hash first
};

}  // namespace roipca::cli
