#include "io/disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "roipca/errors.hpp"

namespace roipca::io {
namespace {

[[noreturn]] void fail(const std::string& action, int error = errno) {
  throw FileError("cannot " + action + ": " + std::system_category().message(error));
}

void require_regular(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw FileError(std::system_category().message(EISDIR));
  if (!S_ISREG(status.st_mode)) throw FileError("not a regular file");
}

int open_to_read(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe without a writer would block instead of being refused.
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) fail("open");
  return number;
}

int open_folder(const std::filesystem::path& folder) {
  const int number = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) fail("open the folder");
  return number;
}

// The file that a path refers to when it is written.
struct Target {
  std::filesystem::path path;
  std::optional<mode_t> permissions;  // of the existing file
};

Target find_target(const std::filesystem::path& path) {
  Target target{.path = path, .permissions = std::nullopt};
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    target.path = std::filesystem::canonical(path, error);
    if (error) fail("follow the link", error.value());
  }
  struct stat status = {};
  if (::stat(target.path.c_str(), &status) == 0) {
    require_regular(status);
    target.permissions = status.st_mode & 0777;
  } else if (errno != ENOENT) {
    fail("find");
  }
  return target;
}

// A new file in a folder, removed again unless it was renamed.
class TemporaryFile {
 public:
  TemporaryFile(const Descriptor& folder, mode_t permissions)
      : folder_(folder), file_(create(folder.number(), name_, permissions)) {}
  ~TemporaryFile() {
    if (!name_.empty()) ::unlinkat(folder_.number(), name_.c_str(), 0);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void set_permissions(mode_t permissions) {
    if (::fchmod(file_.number(), permissions) != 0) fail("set permissions");
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write");
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void rename_to(const std::filesystem::path& name) {
    if (::fsync(file_.number()) != 0) fail("sync");
    file_.close();
    if (::renameat(folder_.number(), name_.c_str(), folder_.number(), name.c_str()) != 0) fail("rename");
    name_.clear();
  }

 private:
  // The counter distinguishes threads, the process number processes, and O_EXCL files left behind by either.
  static int create(int folder, std::string& name, mode_t permissions) {
    static std::atomic<unsigned> counter = 0;
    while (true) {
      name = ".roipca-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
      const int number = ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
      if (number >= 0) return number;
      if (errno != EEXIST && errno != EINTR) fail("create a temporary file in its folder");
    }
  }

  const Descriptor& folder_;
  std::string name_;
  Descriptor file_;
};

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void Descriptor::close() {
  const int number = number_;
  number_ = -1;  // Linux frees the number even if close fails
  if (::close(number) != 0 && errno != EINTR) fail("close");
}

FileSource::FileSource(const std::filesystem::path& path) : file_(open_to_read(path)) {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) fail("read");
  require_regular(status);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void FileSource::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(file_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) {
      throw FileError("byte " + std::to_string(position_) +
                      ": the file became shorter while it was read: need " + std::to_string(bytes.size()) +
                      " bytes, have 0");
    }
    position_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void replace_file(const std::filesystem::path& path, std::span<const std::span<const std::byte>> pieces) {
  constexpr mode_t kNewFile = 0666;  // minus the umask
  const Target target = find_target(path);
  const Descriptor folder(open_folder(target.path.parent_path()));
  TemporaryFile temporary(folder, target.permissions.value_or(kNewFile));
  if (target.permissions) temporary.set_permissions(*target.permissions);
  for (const auto piece : pieces) temporary.write(piece);
  temporary.rename_to(target.path.filename());
  // Some file systems report that they cannot sync a folder; nothing more can be done.
  if (::fsync(folder.number()) != 0 && errno != EINVAL) fail("sync the folder");
}

}  // namespace roipca::io
