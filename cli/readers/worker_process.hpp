/// A child process for work that may crash.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace roipca::cli {

/// Runs a function in a child process, which sends bytes to this one. The child is killed at the end of the
/// object's life.
class WorkerProcess {
 public:
  /// The child's end.
  class Output {
   public:
    explicit Output(int descriptor) : descriptor_(descriptor) {}
    /// Blocks while the parent does not read. Ends the child if the parent is gone.
    void write(std::span<const char> bytes);
    /// For a program that is executed in place of the function.
    int descriptor() const { return descriptor_; }

   private:
    int descriptor_;
  };

  /// `work` must not throw, and must not wait for another thread: the child has only the calling one.
  /// Standard input, output and error of the child are /dev/null, and Ctrl-C does not reach it. Throws
  /// FileError.
  explicit WorkerProcess(const std::function<void(Output&)>& work);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Fills `bytes` as far as the child sends; returns how many there were. Throws Interrupted.
  std::size_t read_fully(std::span<char> bytes);

  /// Waits for the child, which must have closed its end, and describes a death by a signal: "crashed" or
  /// "was killed". Empty if it ended by itself.
  std::string death();

 private:
  void wait();

  pid_t child_ = -1;
  int descriptor_ = -1;
  int status_ = 0;
};

}  // namespace roipca::cli
