#include "interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace roipca::cli {
namespace {

std::atomic<int> signal_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free);

thread_local std::stop_token stop_of_thread;

void remember(int signal) { signal_seen = signal; }

}  // namespace

void watch_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = remember;  // without SA_RESTART: a read that waits is woken
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

void check_interrupt() {
  if (signal_seen != 0 || stop_of_thread.stop_requested()) throw Interrupted();
}

void heed(std::stop_token stop) { stop_of_thread = std::move(stop); }

void end_by_signal() {
  const int signal = signal_seen;
  std::signal(signal, SIG_DFL);
  ::raise(signal);
  std::abort();  // not reached: the default is to end
}

}  // namespace roipca::cli
