/// Models of a run that has not ended.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "interrupt.hpp"
#include "roipca/online_pca.hpp"

namespace roipca::cli {

/// Writes the model so far: at regular intervals, on SIGUSR1, and when the run is interrupted.
template <typename T>
class ModelUpdates {
 public:
  struct When {
    std::int64_t every = 0;     ///< rows between two models; 0: never
    bool at_interrupt = false;  ///< whether an interrupted run leaves a model
  };

  /// `write` writes a model to the file `path`; "-" is no file, and is never written.
  ModelUpdates(std::string path, When when, std::int64_t rows, std::function<void(Model<T>)> write)
      : path_(std::move(path)), when_(when), last_(rows), write_(std::move(write)) {}

  /// Call it after each block of rows.
  void after_block(const OnlinePca<T>& pca) {
    if (when_.every > 0 && pca.rows_seen() - last_ >= when_.every) {
      write_(pca.model());
      last_ = pca.rows_seen();
    }
    on_request(pca);
  }

  /// Writes the model if SIGUSR1 came.
  void on_request(const OnlinePca<T>& pca) {
    if (!take_request()) return;
    if (path_ == "-") {
      std::fprintf(stderr, "roipca: SIGUSR1 writes a model only to a file: use -o\n");
    } else if (pca.rows_seen() == 0) {
      std::fprintf(stderr, "roipca: no model yet: there are no rows\n");
    } else {
      write_and_tell(pca.model());
    }
  }

  void at_interrupt(Model<T> model) const {
    if (when_.at_interrupt && path_ != "-") write_and_tell(std::move(model));
  }

 private:
  void write_and_tell(Model<T> model) const {
    const auto rows = static_cast<long long>(model.rows_before + model.rows);
    write_(std::move(model));
    std::fprintf(stderr, "roipca: model of %lld rows in %s\n", rows, path_.c_str());
  }

  std::string path_;
  When when_;
  std::int64_t last_;
  std::function<void(Model<T>)> write_;
};

}  // namespace roipca::cli
