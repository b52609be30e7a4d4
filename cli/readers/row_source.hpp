/// The rows of all inputs of a command, one file after the other, checked and read ahead.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "readers/open_rows.hpp"
#include "readers/read_ahead.hpp"
#include "roipca/preparation.hpp"

namespace roipca::cli {

enum class OnBadRow { kError, kSkip };

struct InputSettings {
  std::vector<std::string> paths = {};  ///< "-" for standard input
  InputFormat format = {};
  PreparationSteps preparation = {};             ///< what is done to each row
  std::vector<std::string> feature_choice = {};  ///< names of the features to keep; a mask instead of one
  OnBadRow on_bad_row = OnBadRow::kError;
  std::int64_t max_rows = 0;  ///< where to stop; 0: at the end
  bool number_rows = false;   ///< rows are identified by their places instead of by a column
  Index sharers = 1;          ///< threads that share a block: it is as many times larger
  bool gaps = false;          ///< whether a NaN in dense rows is a missing value; otherwise the row is bad

  /// Takes NaN, and what stands for it in text, as missing values.
  void accept_gaps() { gaps = format.csv.gaps = true; }
};

/// An input of a command.
struct InputFile {
  std::string path;
  std::optional<std::int64_t> rows;  ///< if they are known before they are read
  Index columns = 0;                 ///< of prepared rows
};

/// What was left out.
struct SkippedRows {
  std::int64_t count = 0;
  std::vector<std::string> first;  ///< a few of them, with file, place and reason
};

/// Files must agree in their number of columns and, where they have names, in these. A row with a NaN, an
/// infinity or a number too large for the library is a bad row, as is one that cannot be read or prepared.
/// Columns and names are those of prepared rows.
///
/// Throws FileError with file, place and reason; Interrupted.
template <typename T>
class RowSource {
 public:
  /// Opens the first file.
  explicit RowSource(InputSettings settings);

  Index columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }

  /// Name of the ids of rows (PlacedRows::ids); empty if they have none.
  const std::string& id_name() const { return id_name_; }

  /// The next rows, valid until the next call; null at the end. Calls `while_waiting` several times per
  /// second while there are none yet.
  const PlacedRows<T>* next(const std::function<void()>& while_waiting = {});

  /// Continues at row `row`, or at an earlier one if only reading gets to `row`. Returns the number of that
  /// row; nothing, and the next rows stay those that follow, where rows before cannot be counted without
  /// reading them: bad rows may be among them.
  std::optional<std::int64_t> seek(std::int64_t row);

  /// Opens all files, to check that they fit together, instead of reading them.
  std::vector<InputFile> open_all();

  const SkippedRows& skipped() const { return skipped_; }

 private:
  struct FileBlock : PlacedRows<T> {
    std::size_t file = 0;  // of settings_.paths
    const char* place = "row";
  };

  void open(std::size_t file);
  void set_preparation(Index columns, const std::vector<std::string>& names);
  void prepare(PlacedRows<T>& block);
  void begin(PlacedRows<T>& block) const;
  bool fill(FileBlock& block);
  void move_out_bad(FileBlock& block) const;
  void move_out_bad_dense(FileBlock& block) const;
  void move_out_bad_sparse(FileBlock& block) const;
  std::string why_bad(T number, Index column) const;
  void handle_bad(const FileBlock& block);
  void cut(FileBlock& block);

  InputSettings settings_;
  std::unique_ptr<RowReader<T>> reader_;
  std::unique_ptr<Preparation<T>> preparation_;  // null where nothing is done to rows
  PlacedRows<T> unprepared_;
  std::size_t file_ = 0;
  Index columns_ = 0;
  std::vector<std::string> names_;
  std::string id_name_;
  Index file_columns_ = 0;  // the same before preparation
  std::vector<std::string> file_names_;
  std::vector<double> sizes_;  // bytes up to the beginning of each file; empty where nobody knows
  SkippedRows skipped_;
  std::int64_t rows_ = 0;                        // given out
  std::unique_ptr<ReadAhead<FileBlock>> ahead_;  // from the first block on
};

extern template class RowSource<float>;
extern template class RowSource<double>;

}  // namespace roipca::cli
