/// A log of alarms as CSV, to which lines are added as alarms come.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace roipca::cli {

/// Appends lines to a file, or writes them to standard output for "-". Each line is written at once, so that
/// another program can follow the file. Throws FileError that names the path.
class AlarmLog {
 public:
  /// Opens the log. A new or empty file gets the line `header`; a file that begins with another line is
  /// refused.
  AlarmLog(std::string path, const std::string& header);
  ~AlarmLog();
  AlarmLog(const AlarmLog&) = delete;
  AlarmLog& operator=(const AlarmLog&) = delete;

  /// Adds a line, which has its newline.
  void write(const std::string& line);

  /// Number of the last alarm that earlier runs have logged, or 0.
  std::int64_t last_number() const { return last_number_; }

 private:
  [[noreturn]] void fail(const std::string& action) const;

  std::string path_;
  std::FILE* file_ = nullptr;
  std::int64_t last_number_ = 0;
};

}  // namespace roipca::cli
