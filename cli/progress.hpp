/// The line that tells how far a long run is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace roipca::cli {

/// Rewrites one line on standard error, and only where that is a terminal; the line is gone in the end.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the input that was read, where it is known; `explained` gives the part of the variance so
  /// far and is only asked where the line shows it, about once a second.
  void update(std::int64_t rows, std::optional<double> fraction,
              const std::function<double()>& explained = nullptr);

  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_line_ = start_;
  Clock::time_point last_explained_ = start_;
  std::optional<double> explained_;
  bool has_line_ = false;
};

}  // namespace roipca::cli
