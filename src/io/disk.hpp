/// Bytes from and to POSIX files. All functions throw FileError with the system's reason, without the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "io/byte_source.hpp"

namespace roipca::io {

/// A file descriptor that is closed at the end of its life.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  /// Closes now, and throws when the system reports that written bytes were lost.
  void close();

 private:
  int number_;
};

/// A regular file, read from its start.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);

  std::uint64_t size() const override { return size_; }
  void read(std::span<std::byte> bytes) override;

 private:
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

/// Makes `pieces`, one after the other, the content of the file: written to a temporary file beside it,
/// synced, renamed. Whatever goes wrong before the renaming leaves the old file as it was and no temporary
/// behind. An old file's permissions are kept, symbolic links are followed, and what is not a regular file is
/// refused.
void replace_file(const std::filesystem::path& path, std::span<const std::span<const std::byte>> pieces);

}  // namespace roipca::io
