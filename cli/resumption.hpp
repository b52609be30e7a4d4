/// Stopping and resuming a run of `roipca fit`, in any pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "fit_checkpoint.hpp"
#include "notes.hpp"
#include "readers/row_source.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {

/// Writes checkpoints at regular intervals.
class Checkpoints {
 public:
  /// Nothing is written if `path` is empty. `rows` is the number of rows that the pass has read already.
  Checkpoints(std::string path, std::int64_t every, std::int64_t rows)
      : path_(std::move(path)), every_(every), last_(rows) {}

  /// Writes a checkpoint if one is due. `learner` is an estimator or a refinement, after `rows` rows of the
  /// pass.
  template <typename Learner>
  void after_block(const Learner& learner, std::int64_t rows, const InputFingerprint& input) {
    if (path_.empty() || rows - last_ < every_) return;
    save_fit(learner, input, path_);
    last_ = rows;
  }

  template <typename Learner>
  void at_interrupt(const Learner& learner, std::int64_t rows, const InputFingerprint& input) const {
    if (path_.empty() || rows == 0) return;
    save_fit(learner, input, path_);
    note("interrupted after " + std::to_string(rows) +
         " rows; to continue, run the same command with --resume " + path_);
  }

 private:
  std::string path_;
  std::int64_t every_;
  std::int64_t last_;
};

/// Skips the first rows, which a checkpoint has seen, and compares them with its fingerprint.
template <typename T>
class Resumption {
 public:
  /// For a pass from the beginning: skips nothing.
  Resumption() = default;
  Resumption(const FitCheckpoint<T>& start, std::string path)
      : path_(std::move(path)),
        rows_(start.rows()),
        to_skip_(start.rows()),
        expected_(start.fingerprint),
        found_(start.fingerprint_rows) {}

  /// Returns the number of rows of the block to skip.
  Index skip(const PlacedRows<T>& block) {
    if (to_skip_ == 0) return 0;
    if (!has_jumped_) block.visit([&](const auto& rows) { found_.add(rows); });
    if (found_.is_complete() && found_.checksum() != expected_) {
      throw FileError("--resume " + path_ + ": the first " + std::to_string(found_.rows()) +
                      " rows of the input differ from those of the run that wrote it");
    }
    const auto skipped = static_cast<Index>(std::min<std::int64_t>(to_skip_, block.count));
    to_skip_ -= skipped;
    return skipped;
  }

  /// Seeks past the remaining rows to skip, if the source can. Call this after `skip`.
  void jump(RowSource<T>& source) {
    if (to_skip_ == 0 || has_jumped_ || !found_.is_complete()) return;
    has_jumped_ = true;
    if (const auto reached = source.seek(rows_)) to_skip_ = rows_ - *reached;
  }

  bool is_done() const { return to_skip_ == 0; }
  void require_done() const {
    if (is_done()) return;
    throw FileError("the input has " + std::to_string(to_skip_) + " fewer rows than the checkpoint has seen");
  }

 private:
  std::string path_;
  std::int64_t rows_ = 0;
  std::int64_t to_skip_ = 0;
  bool has_jumped_ = false;
  std::uint32_t expected_ = 0;
  InputFingerprint found_;
};

}  // namespace roipca::cli
