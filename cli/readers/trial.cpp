#include "readers/trial.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "interrupt.hpp"

namespace roipca::cli {
namespace {

[[noreturn]] void try_out(const std::function<void()>& work) {
  // Handlers of ours or of a sanitizer would hide how it ended.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);
  }
  ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);  // the C library tells of some crashes
  const rlimit no_core_file = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core_file);
  try {
    work();
  } catch (...) {
    ::_exit(0);
  }
  ::_exit(0);
}

}  // namespace

bool crashes(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) return false;  // no process to be had: then without a trial
  if (child == 0) try_out(work);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    try {
      check_interrupt();
    } catch (const Interrupted&) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      throw;
    }
  }
  check_interrupt();  // the child may have been interrupted with us
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT;
}

}  // namespace roipca::cli
