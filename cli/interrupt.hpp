/// Ctrl-C and SIGTERM: whoever works checks, throws and so cleans up behind itself.
#pragma once

#include <exception>
#include <stop_token>

namespace roipca::cli {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// From here on the signals only set a flag.
void watch_for_interrupts();

/// Throws Interrupted once a signal came, or this thread was asked to stop. May be called from any thread,
/// and costs a few loads.
void check_interrupt();

/// check_interrupt() of this thread heeds the token too.
void heed(std::stop_token stop);

/// Ends the process by the signal that came, so that the caller sees why.
[[noreturn]] void end_by_signal();

}  // namespace roipca::cli
