/// The members of a zip archive, such as the arrays of an npz file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "readers/byte_stream.hpp"

namespace roipca::cli {

/// A zip archive as NumPy writes it: stored or deflated members, with zip64 for large ones. All functions
/// throw FileError without the path.
class ZipArchive {
 public:
  /// Reads the directory at the end of the file.
  explicit ZipArchive(std::unique_ptr<ByteStream> file);

  bool has(const std::string& name) const { return members_.contains(name); }
  /// Returns the names of all members, separated by commas.
  std::string names() const;

  /// Opens a member. Several members can be read at the same time while the archive lives. The checksum is
  /// verified at the end of a member.
  std::unique_ptr<PeekedStream> open(const std::string& name) const;

 private:
  struct Member {
    bool is_deflated = false;
    std::uint32_t checksum = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;  // offset of the member's header in the file
  };
  class Stream;

  std::string bytes_at(std::uint64_t offset, std::uint64_t count) const;
  void read_directory();
  void add_member(const std::string& directory, std::size_t& at);

  std::unique_ptr<ByteStream> file_;
  std::uint64_t size_ = 0;
  std::map<std::string, Member> members_;
};

}  // namespace roipca::cli
