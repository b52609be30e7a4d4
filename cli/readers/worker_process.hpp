/// A child process for work that may crash.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace roipca::cli {

/// Runs a function in a child process that sends bytes to this process. The destructor kills the child.
class WorkerProcess {
 public:
  /// The child's end of the pipe.
  class Output {
   public:
    explicit Output(int descriptor) : descriptor_(descriptor) {}
    /// Blocks until the parent reads. Ends the child if the parent is gone.
    void write(std::span<const char> bytes);
    /// The file descriptor, for a program that is executed in place of the function.
    int descriptor() const { return descriptor_; }

   private:
    int descriptor_;
  };

  /// `work` must not throw and must not wait for other threads, because the child has only the calling one.
  /// Standard input, output and error of the child are /dev/null, and Ctrl-C does not reach it. Throws
  /// FileError.
  explicit WorkerProcess(const std::function<void(Output&)>& work);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Fills `bytes` unless the child closes its end first. Returns the number of bytes read. Throws
  /// Interrupted.
  std::size_t read_fully(std::span<char> bytes);

  /// Waits for the child, which must have closed its end. Returns "crashed" or "was killed" if it died by a
  /// signal, and an empty text if it ended normally.
  std::string death();

  /// Waits for the child in the same way. Returns its exit code, which is 0 if `work` returned, or
  /// nothing if it died by a signal.
  std::optional<int> exit_code();

 private:
  void wait();

  pid_t child_ = -1;
  int descriptor_ = -1;
  int status_ = 0;
};

}  // namespace roipca::cli
