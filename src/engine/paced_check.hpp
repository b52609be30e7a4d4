/// An InterruptCheck that is not called too often.
#pragma once

#include <chrono>

#include "roipca/online_pca.hpp"

namespace roipca {

/// Calls the check of one call to the estimator about twenty times a second, and not more often, because it
/// may have to wait for a lock.
class PacedCheck {
 public:
  /// Checks nothing.
  PacedCheck() = default;
  /// The check, which may be empty, must outlive this object.
  explicit PacedCheck(const InterruptCheck& check) : check_(check ? &check : nullptr), last_(Clock::now()) {}

  void between_blocks() {
    constexpr std::chrono::milliseconds kPause(50);
    if (check_ == nullptr || Clock::now() - last_ < kPause) return;
    (*check_)();
    last_ = Clock::now();
  }

  /// Call it when everything is done, and before anything takes effect.
  void at_end() const {
    if (check_ != nullptr) (*check_)();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const InterruptCheck* check_ = nullptr;
  Clock::time_point last_;
};

}  // namespace roipca
