/// Handling of Ctrl-C, SIGTERM, SIGHUP and SIGUSR1. Long-running code checks for a signal and throws
/// Interrupted, so that destructors clean up.
#pragma once

#include <exception>
#include <stop_token>

namespace roipca::cli {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Makes the signals set a flag instead of ending the process. Signals that were ignored when the process
/// started (nohup) stay ignored. A second SIGINT or SIGTERM ends the process at once, except within 100 ms of
/// the first, because timeout(1) and shells send signals twice. Call this from the main thread, before any
/// other thread starts.
void watch_for_interrupts();

/// Makes SIGUSR1 set a request, which take_request() returns, instead of ending the process.
void watch_for_requests();

/// Returns whether SIGUSR1 arrived since the last call.
bool take_request();

/// Throws Interrupted if a signal arrived or this thread was asked to stop. Thread-safe; costs a few loads.
/// The main thread sees every signal that was sent before the call; other threads may see it later.
void check_interrupt();

/// Prepares a worker thread: check_interrupt() in this thread also throws when `stop` is requested, and
/// signals are delivered to other threads.
void heed(std::stop_token stop);

/// Ends the process by the signal that arrived, so that the parent process sees the reason.
[[noreturn]] void end_by_signal();

}  // namespace roipca::cli
