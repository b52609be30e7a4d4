#include "readers/worker_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

namespace roipca::cli {
namespace {

std::string all_of(WorkerProcess& worker) {
  std::string bytes(1 << 20, '\0');
  bytes.resize(worker.read_fully(bytes));
  return bytes;
}

TEST(WorkerProcess, SendsBytesOfAnySize) {
  const std::string sent(300000, 'x');
  WorkerProcess worker([&](WorkerProcess::Output& output) {
    output.write(std::string_view("a"));
    output.write(sent);
  });
  EXPECT_EQ(all_of(worker), "a" + sent);
  EXPECT_EQ(worker.death(), "");
}

TEST(WorkerProcess, ACrashIsNoticedAfterWhatWasSentBefore) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    WorkerProcess worker([&](WorkerProcess::Output& output) {
      output.write(std::string_view("before"));
      std::raise(signal);
    });
    EXPECT_EQ(all_of(worker), "before");
    EXPECT_EQ(worker.death(), "crashed");
  }
}

TEST(WorkerProcess, AKillIsNoCrash) {
  WorkerProcess worker([](WorkerProcess::Output&) { std::raise(SIGKILL); });
  EXPECT_EQ(all_of(worker), "");
  EXPECT_EQ(worker.death(), "was killed");
}

TEST(WorkerProcess, ItsExitCodeIsThatOfTheProgramUnlessASignalEndedIt) {
  WorkerProcess worker([](WorkerProcess::Output&) { ::_exit(3); });
  EXPECT_EQ(all_of(worker), "");
  EXPECT_EQ(worker.exit_code(), 3);
  WorkerProcess killed([](WorkerProcess::Output&) { std::raise(SIGKILL); });
  EXPECT_EQ(all_of(killed), "");
  EXPECT_EQ(killed.exit_code(), std::nullopt);
}

TEST(WorkerProcess, ItsEffectsAreNotVisible) {
  int number = 1;
  WorkerProcess worker([&](WorkerProcess::Output&) { number = 2; });
  EXPECT_EQ(all_of(worker), "");
  EXPECT_EQ(number, 1);
}

TEST(WorkerProcess, EndsWithTheObjectEvenIfItWouldSendForEver) {
  WorkerProcess worker([](WorkerProcess::Output& output) {
    while (true) output.write(std::string_view("more"));
  });
  std::string some(4, '\0');
  EXPECT_EQ(worker.read_fully(some), 4U);
}

}  // namespace
}  // namespace roipca::cli
