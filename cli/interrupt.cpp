#include "interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace roipca::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kSameRequest = 100'000'000;  // nanoseconds

std::atomic<int> signal_seen = 0;
std::atomic<bool> is_requested = false;
std::atomic<std::int64_t> seen_at = 0;  // on the monotonic clock
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

thread_local std::stop_token stop_of_thread;

std::int64_t now() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The signal handler. Calls only async-signal-safe functions.
void remember(int signal) {
  const int error = errno;
  int none = 0;
  if (signal_seen.compare_exchange_strong(none, signal)) {
    seen_at = now();
  } else if (signal != SIGHUP && now() - seen_at > kSameRequest) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);  // takes effect when this function returns
  }
  errno = error;
}

void request(int /*signal*/) { is_requested = true; }

}  // namespace

void watch_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = remember;  // without SA_RESTART: a blocked read or write returns
  for (const int signal : kSignals) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      ::sigaction(signal, &action, nullptr);
    }
  }
}

void watch_for_requests() {
  struct sigaction action = {};
  action.sa_handler = request;
  action.sa_flags = SA_RESTART;  // a request interrupts no system call
  ::sigaction(SIGUSR1, &action, nullptr);
}

bool take_request() { return is_requested.exchange(false); }

void check_interrupt() {
  if (signal_seen != 0 || stop_of_thread.stop_requested()) throw Interrupted();
}

void heed(std::stop_token stop) {
  stop_of_thread = std::move(stop);
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : kSignals) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void end_by_signal() {
  const int signal = signal_seen;
  std::signal(signal, SIG_DFL);
  ::raise(signal);
  std::abort();  // not reached: the default action ends the process
}

}  // namespace roipca::cli
