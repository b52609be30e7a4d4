/// Reads and writes POSIX files. All functions throw FileError with the system's reason, without the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "io/byte_source.hpp"

namespace roipca::io {

/// A file descriptor that the destructor closes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  /// Closes now, and throws if the system reports that written bytes were lost.
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

/// Replaces the content of the file by `pieces`, one after the other: writes a temporary file in the same
/// folder, syncs it and renames it. If anything fails before the rename, the old file is unchanged and no
/// temporary file is left behind. The permissions of an old file are kept, symbolic links are followed, and
/// anything but a regular file is refused.
void replace_file(const std::filesystem::path& path, std::span<const std::span<const std::byte>> pieces);

}  // namespace roipca::io
