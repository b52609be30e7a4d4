/// The progress line of a long run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "rare_reading.hpp"

namespace roipca::cli {

/// Rewrites one line on standard error if that is a terminal, and removes the line in the destructor.
class Progress {
 public:
  /// `label` is put before the line, such as "pass 2: ".
  explicit Progress(std::string label = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` is the fraction of the input that was read, if known. `result` describes the quality of the
  /// components so far; it may be null.
  void update(std::int64_t rows, std::optional<double> fraction, RareReading* result = nullptr);

  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_line_ = start_;
  bool has_line_ = false;
};

}  // namespace roipca::cli
