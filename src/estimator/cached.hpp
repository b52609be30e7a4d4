/// A value that is computed once.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace roipca {

/// Keeps a value from its first use until it is reset.
///
/// Thread safety: `get` and `peek` may be called by several threads at once. Each of them may compute the
/// value, without holding a lock, and all get the same object. Copying counts as reading; all other functions
/// need exclusive access.
template <typename Value>
class Cached {
 public:
  Cached() = default;
  Cached(const Cached& other) : value_(other.peek()) {}
  Cached(Cached&& other) noexcept : value_(std::move(other.value_)) {}
  Cached& operator=(Cached&& other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  Cached& operator=(const Cached&) = delete;
  ~Cached() = default;

  template <typename Compute>
  std::shared_ptr<const Value> get(Compute&& compute) const {
    if (auto known = peek()) return known;
    auto computed = std::make_shared<const Value>(compute());
    const std::scoped_lock lock(mutex_);
    if (!value_) value_ = std::move(computed);
    return value_;
  }

  /// Returns the value if it was computed, else null.
  std::shared_ptr<const Value> peek() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }

  void reset() { value_.reset(); }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Value> value_;
};

}  // namespace roipca
