/// A text that is costly to find, for the progress line.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace roipca::cli {

/// Finds the text so rarely that it takes at most 1 % of the time.
class RareReading {
 public:
  using Clock = std::chrono::steady_clock;

  /// `expected` is how long the first time may take. `now` is for tests.
  RareReading(std::function<std::string()> compute, std::chrono::duration<double> expected,
              std::function<Clock::time_point()> now = Clock::now);

  /// Returns the latest text, after finding it again if it is time to; an empty one before the first time.
  const std::string& text();

 private:
  std::function<std::string()> compute_;
  std::function<Clock::time_point()> now_;
  Clock::time_point due_;
  std::string text_;
};

}  // namespace roipca::cli
