/// The members of a zip archive, such as the arrays of an npz file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "readers/byte_stream.hpp"

namespace roipca::cli {

/// Zip archives as NumPy writes them: members that are stored or deflated, zip64 where they are large. All
/// functions throw FileError without the path.
class ZipArchive {
 public:
  /// Reads the directory at the end of the file.
  explicit ZipArchive(std::unique_ptr<ByteStream> file);

  bool has(const std::string& name) const { return members_.contains(name); }
  /// The names, separated by commas.
  std::string names() const;

  /// Opens a member. Several can be read side by side, as long as the archive lives. At the end of a member
  /// its checksum is compared.
  std::unique_ptr<PeekedStream> open(const std::string& name) const;

 private:
  struct Member {
    bool is_deflated = false;
    std::uint32_t checksum = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;  // its place in the file
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
