#include "watch/alarm_log.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// What a log has so far.
struct Earlier {
  std::string header;            // with its newline; empty if there is no line
  std::int64_t last_number = 0;  // of the alarms
  bool ends_with_line = true;    // false if a run was killed while it wrote
};

Earlier read_log(const std::string& path) {
  Earlier earlier;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    earlier.ends_with_line = !file.eof();
    if (earlier.header.empty()) {
      earlier.header = line + '\n';
      continue;
    }
    std::int64_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    earlier.last_number = std::max(earlier.last_number, number);
  }
  return earlier;
}

}  // namespace

AlarmLog::AlarmLog(std::string path, const std::string& header) : path_(std::move(path)) {
  const Earlier earlier = path_ == "-" ? Earlier() : read_log(path_);
  if (!earlier.header.empty() && earlier.header != header) {
    throw FileError(path_ + ": is no log of alarms with these columns, and is left as it is");
  }
  last_number_ = earlier.last_number;
  file_ = path_ == "-" ? stdout : std::fopen(path_.c_str(), "a");
  if (file_ == nullptr) fail("open");
  if (!earlier.ends_with_line) write("\n");
  if (earlier.header.empty()) write(header);
}

AlarmLog::~AlarmLog() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void AlarmLog::write(const std::string& line) {
  if (std::fputs(line.c_str(), file_) < 0 || std::fflush(file_) != 0) fail("write");
}

void AlarmLog::fail(const std::string& action) const {
  throw FileError((path_ == "-" ? "standard output" : path_) + ": cannot " + action + ": " +
                  std::system_category().message(errno));
}

}  // namespace roipca::cli
