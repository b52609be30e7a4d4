/// A file that is written completely or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace roipca::cli {

/// A temporary file beside `path`. Publishing renames it to `path`; otherwise the destructor removes it. "-"
/// is standard output, which receives bytes as they are written. Throws FileError that names the path, and
/// Interrupted while standard output blocks.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const char> bytes);
  /// Overwrites the beginning of the file. Not available for standard output.
  void rewrite_start(std::span<const char> bytes);
  /// Writes everything to disk and closes the file.
  void sync();
  /// Renames the synced file and syncs the folder. Keeps the permissions of a replaced file.
  void publish();
  void commit() {
    sync();
    publish();
  }

  const std::string& path() const { return path_; }
  /// Path of the temporary file, for libraries that need one.
  const std::string& temporary() const { return temporary_; }

  [[noreturn]] void fail(const std::string& reason) const;

 private:
  bool is_standard_output() const { return temporary_.empty(); }
  bool ready() const;
  [[noreturn]] void fail_by_system(const std::string& action) const;
  void write_all(std::span<const char> bytes);

  std::string path_;
  std::string temporary_;
  int number_ = -1;
  bool may_block_ = false;  // standard output is a pipe or a terminal
  bool published_ = false;
};

/// Writes `text` to `path` through an OutputFile.
void write_file(const std::string& path, const std::string& text);

}  // namespace roipca::cli
