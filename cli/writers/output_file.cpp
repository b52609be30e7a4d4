#include "writers/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <system_error>
#include <utility>

#include "interrupt.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Follows a symbolic link, so that its target is replaced and the link is kept.
std::string followed(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path == "-" ? "standard output" : followed(path)) {
  if (path == "-") {
    number_ = STDOUT_FILENO;
    struct stat status = {};
    may_block_ = ::fstat(number_, &status) == 0 && !S_ISREG(status.st_mode);
    return;
  }
  struct stat status = {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) fail("not a regular file");
  temporary_ = folder_of(path_) + "/.roipca-XXXXXX";
  number_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (number_ < 0) {
    temporary_.clear();
    fail_by_system("create a temporary file in its folder");
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(number_, exists ? status.st_mode & 0777 : 0666 & ~mask);
}

OutputFile::~OutputFile() {
  if (is_standard_output()) return;
  if (number_ >= 0) ::close(number_);
  if (!published_) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const char> bytes) { write_all(bytes); }

void OutputFile::rewrite_start(std::span<const char> bytes) {
  if (::lseek(number_, 0, SEEK_SET) != 0) fail_by_system("go back to its start");
  write_all(bytes);
}

void OutputFile::write_all(std::span<const char> bytes) {
  while (!bytes.empty()) {
    if (may_block_) {
      check_interrupt();
      if (!ready()) continue;
    }
    // A pipe that is ready accepts PIPE_BUF bytes without blocking.
    const std::size_t most = may_block_ ? std::min<std::size_t>(bytes.size(), PIPE_BUF) : bytes.size();
    const ssize_t count = ::write(number_, bytes.data(), most);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) fail_by_system("write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

// The reader of a pipe may pause for long, and a signal must end the wait.
bool OutputFile::ready() const {
  constexpr int kMilliseconds = 100;
  pollfd waiting = {.fd = number_, .events = POLLOUT, .revents = 0};
  return ::poll(&waiting, 1, kMilliseconds) > 0;
}

void OutputFile::sync() {
  if (is_standard_output()) return;
  if (::fsync(number_) != 0) fail_by_system("sync");
  if (::close(std::exchange(number_, -1)) != 0) fail_by_system("close");
}

void OutputFile::publish() {
  if (is_standard_output()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_by_system("rename");
  published_ = true;
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);  // not supported by some file systems
  ::close(folder);
}

void OutputFile::fail(const std::string& reason) const { throw FileError(path_ + ": " + reason); }

void OutputFile::fail_by_system(const std::string& action) const {
  fail("cannot " + action + ": " + std::system_category().message(errno));
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace roipca::cli
