#include "readers/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "interrupt.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr int kPipeBytes = 1 << 20;
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

[[noreturn]] void fail_by_errno(const char* action) {
  throw FileError(std::string("cannot ") + action + ": " + std::system_category().message(errno));
}

// Makes a crash silent, and ignores the signals with which the user stops the parent.
void become_worker() {
  for (const int signal : kCrashes) std::signal(signal, SIG_DFL);  // a sanitizer would hide the crash
  for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, standard);
  const rlimit no_core_file = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core_file);
}

}  // namespace

void WorkerProcess::Output::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) ::_exit(1);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

WorkerProcess::WorkerProcess(const std::function<void(Output&)>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_by_errno("create a pipe");
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);  // a larger pipe needs fewer context switches; may be refused
  child_ = ::fork();
  if (child_ < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    errno = error;
    fail_by_errno("start a process");
  }
  if (child_ == 0) {
    become_worker();
    ::close(ends[0]);
    Output output(ends[1]);
    work(output);
    ::_exit(0);
  }
  ::close(ends[1]);
  descriptor_ = ends[0];
}

WorkerProcess::~WorkerProcess() {
  if (child_ > 0) ::kill(child_, SIGKILL);
  wait();
  ::close(descriptor_);
}

std::size_t WorkerProcess::read_fully(std::span<char> bytes) {
  constexpr int kMilliseconds = 100;  // interval between checks for signals
  std::size_t have = 0;
  while (have < bytes.size()) {
    check_interrupt();
    pollfd waiting = {.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kMilliseconds) <= 0) continue;
    const ssize_t count = ::read(descriptor_, bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_by_errno("read from a process");
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  return have;
}

std::string WorkerProcess::death() {
  wait();
  if (!WIFSIGNALED(status_)) return {};
  for (const int signal : kCrashes) {
    if (WTERMSIG(status_) == signal) return "crashed";
  }
  return "was killed";
}

std::optional<int> WorkerProcess::exit_code() {
  wait();
  return WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

void WorkerProcess::wait() {
  if (child_ < 0) return;
  while (::waitpid(child_, &status_, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

}  // namespace roipca::cli
