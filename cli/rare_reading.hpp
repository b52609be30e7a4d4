/// A text for the progress line that is costly to compute.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace roipca::cli {

/// Computes the text rarely enough to take at most 1 % of the time.
class RareReading {
 public:
  using Clock = std::chrono::steady_clock;

  /// `expected` is an estimate of the time that the first computation takes. `now` is for tests.
  RareReading(std::function<std::string()> compute, std::chrono::duration<double> expected,
              std::function<Clock::time_point()> now = Clock::now);

  /// Returns the latest text, after computing it again if it is due. Empty before the first computation.
  const std::string& text();

 private:
  std::function<std::string()> compute_;
  std::function<Clock::time_point()> now_;
  Clock::time_point due_;
  std::string text_;
};

}  // namespace roipca::cli
