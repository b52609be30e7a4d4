/// A number that is costly to compute, for the progress line.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace roipca::cli {

/// Computes the number so rarely that it takes at most 1 % of the time.
class RareReading {
 public:
  using Clock = std::chrono::steady_clock;

  /// `expected` is how long the first computation may take. `now` is for tests.
  RareReading(std::function<double()> compute, std::chrono::duration<double> expected,
              std::function<Clock::time_point()> now = Clock::now);

  /// Returns the latest value, after computing it again if it is time to; nothing before the first time.
  std::optional<double> value();

 private:
  std::function<double()> compute_;
  std::function<Clock::time_point()> now_;
  Clock::time_point due_;
  std::optional<double> value_;
};

}  // namespace roipca::cli
