/// Keeps a process from forking while a thread works on an estimator.
#pragma once

#include <atomic>
#include <mutex>

namespace roipca::python {

/// A forked process has only the thread that forked. Locks of other threads would stay locked in it,
/// and objects that they were changing would stay half changed. So a fork waits until the calls in progress
/// are done, and calls that begin meanwhile wait for the fork.
///
/// A thread that is inside may enter again, and may fork: no thread waits for itself. No function needs the
/// GIL, and `enter` and `close` must be called without it, because the threads they wait for may need it.
class ForkGate {
 public:
  static void enter() {
    if (depth_++ > 0) return;
    const std::scoped_lock lock(door_);
    ++threads_inside_;
  }

  static void leave() {
    if (--depth_ > 0) return;
    --threads_inside_;
    threads_inside_.notify_all();
  }

  /// Closes the gate, before a fork.
  static void close() {
    const int own = depth_ > 0 ? 1 : 0;
    door_.lock();
    ++depth_;  // this thread may still work on estimators
    for (int inside = threads_inside_; inside != own; inside = threads_inside_) threads_inside_.wait(inside);
  }

  /// Opens the gate, after the fork, in both processes.
  static void open() {
    --depth_;
    door_.unlock();
  }

 private:
  static inline std::mutex door_;
  static inline std::atomic<int> threads_inside_ = 0;
  static inline thread_local int depth_ = 0;  // number of calls of this thread that are inside
};

/// Enters the gate, and leaves it when destroyed.
class Inside {
 public:
  Inside() { ForkGate::enter(); }
  ~Inside() { ForkGate::leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace roipca::python
