/// A thread that reads while the caller computes.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "interrupt.hpp"

namespace roipca::cli {

/// Calls `fill` in a separate thread, up to two blocks ahead. `fill` returns false at the end of the data;
/// next() rethrows its exceptions. Holds three blocks in memory.
template <typename Block>
class ReadAhead {
 public:
  explicit ReadAhead(std::function<bool(Block&)> fill)
      : fill_(std::move(fill)), thread_([this](const std::stop_token& stop) { work(stop); }) {}
  ~ReadAhead() {
    thread_.request_stop();
    changed_.notify_all();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Returns the next block, valid until the next call, or null at the end. If a signal arrived, throws
  /// Interrupted instead of the exception of `fill`. Calls `while_waiting` several times per second until a
  /// block is ready.
  Block* next(const std::function<void()>& while_waiting = {}) {
    std::unique_lock lock(mutex_);
    if (in_use_) {
      ++first_;
      in_use_ = false;
      changed_.notify_all();
    }
    const auto is_there = [&] { return filled_ > first_ || ended_; };
    while (!changed_.wait_for(lock, kBetweenCalls, is_there)) {
      lock.unlock();
      if (while_waiting) while_waiting();
      lock.lock();
    }
    if (filled_ > first_) {
      in_use_ = true;
      return &blocks_[first_ % kBlocks];
    }
    // A signal that reached us may have ended the program that writes our input: then the data are not at
    // fault.
    check_interrupt();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return nullptr;
  }

 private:
  static constexpr std::size_t kBlocks = 3;
  static constexpr std::chrono::milliseconds kBetweenCalls{100};

  void work(const std::stop_token& stop) {
    heed(stop);
    try {
      while (true) {
        {
          std::unique_lock lock(mutex_);
          const bool goes_on = changed_.wait(lock, stop, [&] { return filled_ - first_ < kBlocks; });
          if (!goes_on || stop.stop_requested()) return;
        }
        if (!fill_(blocks_[filled_ % kBlocks])) break;
        const std::scoped_lock lock(mutex_);
        ++filled_;
        changed_.notify_all();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  std::function<bool(Block&)> fill_;
  std::array<Block, kBlocks> blocks_;
  std::size_t first_ = 0;   // number of blocks returned to the pool
  std::size_t filled_ = 0;  // number of blocks filled
  bool in_use_ = false;     // whether the caller uses the first one
  bool ended_ = false;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last member, because the thread uses the others
};

}  // namespace roipca::cli
