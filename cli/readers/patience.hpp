/// Decides when to return a block before it is full.
#pragma once

#include <algorithm>
#include <chrono>

#include "readers/byte_stream.hpp"

namespace roipca::cli {

/// Ends a block early if input is slow, so that rows do not wait long for the next ones: after 100 ms without
/// input, or one second after the block began.
class Patience {
 public:
  /// With `at_once`, a block never waits for more input.
  explicit Patience(bool at_once = false) : at_once_(at_once) {}

  void begin_block() { begin_ = Clock::now(); }

  /// Returns whether more input for the block arrives in time; if not, the block should end.
  bool lasts(ByteStream& stream) const {
    if (at_once_) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(begin_ + kBlock - Clock::now());
    return left.count() > 0 && stream.wait(std::min(left, kSilence));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBlock{1000};
  static constexpr std::chrono::milliseconds kSilence{100};

  bool at_once_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace roipca::cli
