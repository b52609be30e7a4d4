/// Models that are written before a run ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "interrupt.hpp"
#include "notes.hpp"
#include "roipca/online_pca.hpp"

namespace roipca::cli {

/// Writes the model of the rows so far: at regular intervals, on SIGUSR1, and when the run is interrupted.
template <typename T>
class ModelUpdates {
 public:
  struct When {
    std::int64_t every = 0;     ///< rows between two models; 0: write none
    bool at_interrupt = false;  ///< whether to write a model when the run is interrupted
  };

  /// `write` writes a model to the file `path`. If `path` is "-", no model is written before the end.
  ModelUpdates(std::string path, When when, std::int64_t rows, std::function<void(Model<T>)> write)
      : path_(std::move(path)), when_(when), last_(rows), write_(std::move(write)) {}

  /// Writes the model if one is due. Call this after each block of rows.
  void after_block(const OnlinePca<T>& pca) {
    if (when_.every > 0 && pca.rows_seen() - last_ >= when_.every) {
      write_(pca.model());
      last_ = pca.rows_seen();
    }
    on_request(pca);
  }

  /// Writes the model if SIGUSR1 arrived.
  void on_request(const OnlinePca<T>& pca) {
    if (!take_request()) return;
    if (path_ == "-") {
      note("SIGUSR1 writes a model only to a file: use -o");
    } else if (pca.rows_seen() == 0) {
      note("no model yet: there are no rows");
    } else {
      write_and_tell(pca.model());
    }
  }

  /// Writes the model if interrupted runs shall. Returns its file, or an empty text if it was not written.
  std::string at_interrupt(Model<T> model) const {
    if (!when_.at_interrupt || path_ == "-") return {};
    write_and_tell(std::move(model));
    return path_;
  }

 private:
  void write_and_tell(Model<T> model) const {
    const std::int64_t rows = model.rows_before + model.rows;
    write_(std::move(model));
    note("model of " + std::to_string(rows) + " rows in " + path_);
  }

  std::string path_;
  When when_;
  std::int64_t last_;
  std::function<void(Model<T>)> write_;
};

}  // namespace roipca::cli
