/// Ctrl-C, SIGTERM, SIGHUP and SIGUSR1. Code that works checks for them and throws, so that destructors clean
/// up.
#pragma once

#include <exception>
#include <stop_token>

namespace roipca::cli {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Makes the signals set a flag instead of ending the process. Signals that the process was started to ignore
/// (nohup) stay ignored. A second SIGINT or SIGTERM ends the process at once; within 100 ms of the first
/// signal it counts as the same, because timeout(1) and shells send signals twice. Call it from the main
/// thread, before any other thread starts.
void watch_for_interrupts();

/// Makes SIGUSR1 a request, which take_request() returns, instead of the end of the process.
void watch_for_requests();

/// Returns whether SIGUSR1 came since the last call.
bool take_request();

/// Throws Interrupted if a signal came or this thread was asked to stop. Thread-safe, and costs a few loads.
/// In the main thread it sees every signal that was sent before the call. Other threads may see it later.
void check_interrupt();

/// Prepares a worker thread: check_interrupt() in this thread also obeys `stop`, and signals go to other
/// threads.
void heed(std::stop_token stop);

/// Ends the process by the signal that came, so that the caller sees why.
[[noreturn]] void end_by_signal();

}  // namespace roipca::cli
