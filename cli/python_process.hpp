/// A Python process, for formats that only Python has a library for.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "readers/worker_process.hpp"

namespace roipca::cli {

/// Runs a function of a file of the Python package, with a path as its argument, in $ROIPCA_PYTHON, or the
/// Python beside this program, or python3. A message to Python is one line of JSON; a message from Python is
/// JSON after its length. Both may be followed by bytes as the two sides have agreed. The destructor kills
/// the process.
///
/// All functions throw FileError without a path, and Interrupted.
class PythonProcess {
 public:
  /// `module` is the name of the file without .py; it must not import the package. `needs` says what to
  /// install if there is no Python with the packages roipca and pyarrow, which the first `receive` finds out.
  /// It also finds out if the limit of memory is too low for Python.
  PythonProcess(const std::string& module, const std::string& function, const std::string& path,
                std::string needs);
  ~PythonProcess();
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  /// Receives a message. Throws FileError with Python's message if it reports a failure.
  nlohmann::json receive();
  void receive(std::span<char> bytes);

  void send(const nlohmann::json& message);
  /// Sends bytes. If Python has ended, throws its last error message.
  void send(std::span<const char> bytes);

 private:
  std::string why_it_did_not_start();

  std::string needs_;
  int output_ = -1;
  std::unique_ptr<WorkerProcess> worker_;
  bool is_started_ = false;
};

}  // namespace roipca::cli
