#include "demo/limited_run.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "interrupt.hpp"

namespace roipca::cli {
namespace {

constexpr int kCannotStart = 127;  // exit status that shells use for this

[[noreturn]] void become(char* const* words, std::size_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (::setrlimit(RLIMIT_DATA, &limit) == 0) ::execv("/proc/self/exe", words);
  ::_exit(kCannotStart);
}

int wait_for(pid_t child, rusage& usage) {
  int status = 0;
  while (::wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) throw std::runtime_error("cannot wait for a process");
    try {
      check_interrupt();
    } catch (const Interrupted&) {
      ::kill(child, SIGTERM);
      ::wait4(child, &status, 0, &usage);
      throw;
    }
  }
  check_interrupt();  // a signal may have interrupted both processes
  return status;
}

}  // namespace

RunCost run_limited(const std::vector<std::string>& arguments, std::size_t bytes) {
  std::vector<std::string> text = {"roipca"};
  text.insert(text.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  words.reserve(text.size() + 1);
  for (std::string& word : text) words.push_back(word.data());
  words.push_back(nullptr);

  std::fflush(stdout);  // so that the child's output comes after ours
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) become(words.data(), bytes);
  rusage usage = {};
  const int status = wait_for(child, usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("roipca " + arguments.front() + " failed with " + std::to_string(bytes >> 20) +
                             " MB of memory");
  }
  RunCost cost;
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cost.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0;  // Linux reports KiB
  return cost;
}

}  // namespace roipca::cli
