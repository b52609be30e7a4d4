/// The rows of all inputs of a command, one file after the other, checked and read ahead.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "readers/open_rows.hpp"
#include "readers/read_ahead.hpp"
#include "roipca/errors.hpp"
#include "roipca/preparation.hpp"

namespace roipca::cli {

enum class OnBadRow { kError, kSkip };

struct InputSettings {
  std::vector<std::string> paths = {};  ///< "-" for standard input
  InputFormat format = {};
  PreparationSteps preparation = {};             ///< steps applied to each row
  std::vector<std::string> feature_choice = {};  ///< names of the features to keep, instead of a mask
  OnBadRow on_bad_row = OnBadRow::kError;
  std::int64_t max_rows = 0;  ///< number of rows to read; 0: all
  bool number_rows = false;   ///< use positions of rows as ids, instead of a column
  Index sharers = 1;          ///< number of threads that share a block, which is larger by this factor
  bool gaps = false;          ///< whether NaN in dense rows is a missing value; otherwise the row is bad
  /// Whether rows go to `RowSource::learn` before anything else and the learner checks their numbers, so that
  /// they are not scanned twice. Has no effect with max_rows.
  bool learner_checks = false;

  /// Makes NaN, and text that stands for it, missing values.
  void accept_gaps() { gaps = format.csv.gaps = true; }
};

/// An input of a command.
struct InputFile {
  std::string path;
  std::optional<std::int64_t> rows;  ///< number of rows, if known before reading
  Index columns = 0;                 ///< number of columns of prepared rows
};

/// The rows that were left out.
struct SkippedRows {
  std::int64_t count = 0;
  std::vector<std::string> first;  ///< the first few, with file, position and reason
};

/// Returns the name of a file as messages show it: "standard input" for "-".
std::string shown(const std::string& path);

/// Returns the message that no rows are left, with the reason for which the first one was skipped.
std::string no_rows_text(const SkippedRows& skipped);

/// Reads the rows of all files. Files must have the same number of columns and, if they have names, the same
/// names. A row is bad if it holds a NaN, an infinity or a number too large for the library, or if it cannot
/// be read or prepared. Columns and names are those of prepared rows.
///
/// Throws FileError with file, position and reason, and Interrupted.
template <typename T>
class RowSource {
 public:
  /// Opens the first file.
  explicit RowSource(InputSettings settings);

  Index columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Whether the rows of the file that is open are sparse.
  bool is_sparse() const { return reader_->is_sparse(); }

  /// The first file, as messages show it.
  std::string first_file() const { return shown(settings_.paths.front()); }

  /// Name of the rows' ids (PlacedRows::ids); empty if they have none.
  const std::string& id_name() const { return id_name_; }

  /// RowReader::caution of the first file, with the file; empty if there is none.
  const std::string& caution() const { return caution_; }

  /// Returns the next rows, valid until the next call, or null at the end. Calls `while_waiting` several
  /// times per second while it waits.
  const PlacedRows<T>* next(const std::function<void()>& while_waiting = {});

  /// Calls learn(rows from `first` on), with Rows<T> or SparseRows<T>, for the block that next() returned
  /// last. If `learn` throws DataError, having changed nothing, the bad rows are taken out of the block, as
  /// next() does unless InputSettings::learner_checks, and `learn` is called for the others, if any.
  template <typename Learn>
  void learn(Index first, Learn learn) {
    try {
      last_->visit(learn, first);
    } catch (const DataError&) {
      if (!take_out_bad()) throw;
      if (first < last_->count) last_->visit(learn, first);
    }
  }

  /// Continues at row `row`, or at an earlier one if `row` can only be reached by reading. Returns the number
  /// of the row it continues at. Returns nothing, and continues where it was, if rows cannot be counted
  /// without reading them, because some may be bad.
  std::optional<std::int64_t> seek(std::int64_t row);

  /// Opens all files, to check that they fit together, instead of reading them.
  std::vector<InputFile> open_all();

  const SkippedRows& skipped() const { return skipped_; }

 private:
  struct FileBlock : PlacedRows<T> {
    std::size_t file = 0;  // index in settings_.paths
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
  bool take_out_bad();
  void cut(FileBlock& block);

  InputSettings settings_;
  std::unique_ptr<RowReader<T>> reader_;
  std::unique_ptr<Preparation<T>> preparation_;  // null if rows are not prepared
  PlacedRows<T> unprepared_;
  std::size_t file_ = 0;
  Index columns_ = 0;
  std::vector<std::string> names_;
  std::string id_name_;
  std::string caution_;
  Index file_columns_ = 0;  // number of columns before preparation
  std::vector<std::string> file_names_;
  std::vector<double> sizes_;             // bytes before each file; empty if not known
  std::atomic<bool> is_checking_ = true;  // whether `fill` checks numbers
  FileBlock* last_ = nullptr;             // the block that next() returned
  SkippedRows skipped_;
  std::int64_t rows_ = 0;                        // number of rows returned
  std::unique_ptr<ReadAhead<FileBlock>> ahead_;  // created at the first call of next()
};

extern template class RowSource<float>;
extern template class RowSource<double>;

}  // namespace roipca::cli
