#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "interrupt.hpp"
#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

[[noreturn]] void fail(const char* action) {
  throw FileError(std::string("cannot ") + action + ": " + std::system_category().message(errno));
}

class FileStream : public ByteStream {
 public:
  // `followed` is the path of a file that may grow, or empty.
  FileStream(int number, bool owned, std::string followed)
      : number_(number), owned_(owned), followed_(std::move(followed)) {
    struct stat status = {};
    if (::fstat(number, &status) != 0) fail("read");
    if (S_ISDIR(status.st_mode)) throw FileError(std::system_category().message(EISDIR));
    if (S_ISREG(status.st_mode)) {
      // Standard input may be a file that was already read in part.
      const off_t start = ::lseek(number, 0, SEEK_CUR);
      start_ = start < 0 ? 0 : static_cast<std::uint64_t>(start);
      const auto end = static_cast<std::uint64_t>(status.st_size);
      size_ = end > start_ ? end - start_ : 0;
      ::posix_fadvise(number, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  }
  ~FileStream() override {
    if (owned_) ::close(number_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::size_t read(std::span<char> bytes) override {
    while (true) {
      check_interrupt();
      if (!size_ && !ready(kBetweenChecks)) continue;
      const ssize_t count = ::read(number_, bytes.data(), bytes.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) fail("read");
      if (count == 0 && follows() && size_) {
        require_same_file();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      if (count == 0) check_interrupt();  // the signal may have ended the program that writes to the pipe
      position_ += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
  }

  bool read_at(std::uint64_t offset, std::span<char> bytes) override {
    if (!size_) return false;
    while (!bytes.empty()) {
      check_interrupt();
      const ssize_t count = ::pread(number_, bytes.data(), bytes.size(), static_cast<off_t>(start_ + offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("read");
      if (count == 0) return false;
      offset += static_cast<std::uint64_t>(count);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
  }

  bool skip(std::uint64_t bytes) override {
    if (!size_ || bytes > *size_ - std::min(*size_, position_)) return false;
    if (::lseek(number_, static_cast<off_t>(bytes), SEEK_CUR) < 0) return false;
    position_ += bytes;
    return true;
  }

  std::optional<std::uint64_t> size() const override { return size_; }

  bool wait(std::chrono::milliseconds most) override {
    if (!size_) return ready(static_cast<int>(most.count()));
    struct stat status = {};
    return !follows() || (::fstat(number_, &status) == 0 &&
                          static_cast<std::uint64_t>(status.st_size) > start_ + position_);
  }

  std::optional<double> fraction() const override {
    if (!size_ || *size_ == 0) return std::nullopt;
    return static_cast<double>(position_) / static_cast<double>(*size_);
  }

 private:
  // In milliseconds. A pipe may be silent for long, and the signal may have been delivered to another thread.
  static constexpr int kBetweenChecks = 100;

  bool follows() const { return !followed_.empty(); }

  // Without this, a log that is rotated would be waited for in silence. (A file that was removed may come
  // back.)
  void require_same_file() const {
    struct stat open = {};
    struct stat named = {};
    if (::fstat(number_, &open) != 0) fail("read");
    const bool is_replaced = ::stat(followed_.c_str(), &named) == 0 &&
                             (named.st_ino != open.st_ino || named.st_dev != open.st_dev);
    if (!is_replaced && static_cast<std::uint64_t>(open.st_size) >= start_ + position_) return;
    throw FileError(
        "was replaced or became shorter while it was followed (pipe a log that is rotated: tail -F " +
        followed_ + " | roipca ...)");
  }

  bool ready(int milliseconds) const {
    pollfd waiting = {.fd = number_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, milliseconds) > 0;
  }

  int number_;
  bool owned_;
  std::string followed_;
  std::uint64_t start_ = 0;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> size_;
};

}  // namespace

std::unique_ptr<PeekedStream> open_stream(const std::string& path, bool follow) {
  if (path == "-") return unpacked(std::make_unique<FileStream>(STDIN_FILENO, false, ""));
  struct stat status = {};
  const bool is_pipe = follow && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  int number = -1;
  do {
    check_interrupt();
    // Opening a named pipe waits for its writer. With `follow`, it is opened for writing as well, so that it
    // never ends.
    number = ::open(path.c_str(), (is_pipe ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  } while (number < 0 && errno == EINTR);
  if (number < 0) fail("open");
  return unpacked(std::make_unique<FileStream>(number, true, follow ? path : ""));
}

}  // namespace roipca::cli
