#include "python_process.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "interrupt.hpp"
#include "memory_limit.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLongest = std::uint64_t{1} << 30U;  // maximum size of a message in bytes

constexpr std::uint64_t kMemoryOfPython = std::uint64_t{350} << 20U;  // for Python and pyarrow (measured)

// Exit codes before the first message: of the worker, if Python cannot be executed, and of the script.
constexpr int kNotExecuted = 0;
constexpr int kNoPackages = 3;

// The current folder is removed from the import path, because it may hold anything. The package itself is not
// imported, because that takes several times as long as reading a small file.
constexpr const char* kScript = R"(
import sys
sys.path = [place for place in sys.path if place]
import importlib.util
package = importlib.util.find_spec("roipca")
if package is None or importlib.util.find_spec("pyarrow") is None:
    sys.exit(3)
module, function, path = sys.argv[1:]
place = package.submodule_search_locations[0] + "/" + module + ".py"
spec = importlib.util.spec_from_file_location("roipca" + module, place)
loaded = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loaded)
getattr(loaded, function)(path)
)";

std::string python() {
  if (const char* chosen = std::getenv("ROIPCA_PYTHON"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = (program.parent_path() / "python3").string();
  return !error && ::access(beside.c_str(), X_OK) == 0 ? beside : "python3";
}

}  // namespace

PythonProcess::PythonProcess(const std::string& module, const std::string& function, const std::string& path,
                             std::string needs)
    : needs_(std::move(needs)) {
  std::array<int, 2> ends = {-1, -1};
  // A socket, because writing to a pipe after Python has ended would kill this process.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw FileError("cannot create a pipe");
  output_ = ends[1];
  const std::string program = python();
  const std::string file = std::filesystem::absolute(path).string();
  try {
    worker_ = std::make_unique<WorkerProcess>([&](WorkerProcess::Output& to) {
      ::dup2(ends[0], STDIN_FILENO);
      ::dup2(to.descriptor(), STDOUT_FILENO);
      ::execlp(program.c_str(), program.c_str(), "-c", kScript, module.c_str(), function.c_str(),
               file.c_str(), static_cast<char*>(nullptr));
    });
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[0]);
}

PythonProcess::~PythonProcess() {
  worker_.reset();
  ::close(output_);
}

Json PythonProcess::receive() {
  std::uint64_t size = 0;
  if (worker_->read_fully(std::span(reinterpret_cast<char*>(&size), sizeof size)) < sizeof size) {
    throw FileError(is_started_ ? "the Python process ended early" : why_it_did_not_start());
  }
  is_started_ = true;
  std::string text(std::min<std::uint64_t>(size, kLongest), '\0');
  receive(text);
  Json message = Json::parse(text, nullptr, false);
  if (!message.is_object()) throw FileError("Python sent no message");
  if (message.contains("error")) throw FileError(message.value("error", ""));
  return message;
}

std::string PythonProcess::why_it_did_not_start() {
  const auto exit_code = worker_->exit_code();
  const bool is_there = exit_code != kNotExecuted && exit_code != kNoPackages;
  const auto limit = memory_limit();
  if (!is_there || !limit || *limit >= kMemoryOfPython) return needs_;
  return "Python did not start" + memory_limit_text() +
         ": with pyarrow, it needs about 350 MB (see --max-memory)";
}

void PythonProcess::receive(std::span<char> bytes) {
  if (worker_->read_fully(bytes) == bytes.size()) return;
  throw FileError("the Python process ended early");
}

void PythonProcess::send(const Json& message) {
  const std::string text = message.dump() + '\n';
  send(std::span<const char>(text));
}

void PythonProcess::send(std::span<const char> bytes) {
  constexpr int kMilliseconds = 100;  // interval between checks for signals
  while (!bytes.empty()) {
    check_interrupt();
    pollfd waiting = {.fd = output_, .events = POLLOUT, .revents = 0};
    if (::poll(&waiting, 1, kMilliseconds) <= 0) continue;
    const ssize_t count = ::send(output_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      receive();  // throws the reason
      throw FileError("the Python process ended early");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace roipca::cli
