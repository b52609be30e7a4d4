/// Python as a helper of this program, for formats that only Python has a library for.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "readers/worker_process.hpp"

namespace roipca::cli {

/// Runs a function of a file of the Python package with a path: $ROIPCA_PYTHON, or the Python beside this
/// program, or python3. Messages to it are JSON in a line, those from it JSON with the length before it;
/// bytes follow as both sides have agreed. Python is killed at the end of the object's life.
///
/// All functions throw FileError without a path, and Interrupted.
class PythonProcess {
 public:
  /// `module` is the name of the file without .py, which must not import the package. `needs` says what to
  /// install if there is no Python with the packages roipca and pyarrow, which the first `receive` finds out.
  PythonProcess(const std::string& module, const std::string& function, const std::string& path,
                std::string needs);
  ~PythonProcess();
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  /// Throws FileError with what Python says if the message is that it failed.
  nlohmann::json receive();
  void receive(std::span<char> bytes);

  void send(const nlohmann::json& message);
  /// If Python has ended, throws what it said last.
  void send(std::span<const char> bytes);

 private:
  std::string needs_;
  int output_ = -1;
  std::unique_ptr<WorkerProcess> worker_;
  bool is_started_ = false;
};

}  // namespace roipca::cli
