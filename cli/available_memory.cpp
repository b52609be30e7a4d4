#include "available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace roipca::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The files of a control group, by version.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* active_file;  // names in memory.stat of the group and of those inside it
  const char* inactive_file;
};
constexpr GroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file",
                                  "total_inactive_file"};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", "active_file", "inactive_file"};

// Returns nothing if the file does not begin with a number, such as "max" for no limit.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// Returns the sum of the numbers with one of two names in a file of names and numbers.
std::uint64_t sum_of(const fs::path& path, std::string_view one, std::string_view other) {
  std::ifstream file(path);
  std::uint64_t sum = 0;
  std::string name;
  for (std::uint64_t number = 0; file >> name >> number;) {
    if (name == one || name == other) sum += number;
  }
  return sum;
}

std::uint64_t left_by(const fs::path& group, const GroupFiles& files) {
  const auto limit = number_in(group / files.limit);
  if (!limit) return kNoLimit;
  const std::uint64_t used = number_in(group / files.used).value_or(0);
  const std::uint64_t of_files = sum_of(group / "memory.stat", files.active_file, files.inactive_file);
  return left_of(*limit, left_of(used, of_files));
}

// Returns the least that a group and those around it leave. A container may see the path of its group from
// outside, but its files as those of `mount`: then the groups of the path that it does not see are left out.
std::uint64_t left_by_groups(const fs::path& mount, const fs::path& path, const GroupFiles& files) {
  std::uint64_t least = left_by(mount, files);
  fs::path group = mount;
  for (const fs::path& part : path.relative_path()) {
    group /= part;
    least = std::min(least, left_by(group, files));
  }
  return least;
}

bool has_memory(std::string controllers) {
  return ("," + std::move(controllers) + ",").find(",memory,") != std::string::npos;
}

std::uint64_t left_by_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes; std::getline(file, unit)) {
    if (name == "MemAvailable:") return kilobytes << 10U;
  }
  return physical_memory();
}

std::uint64_t left_of_address_space() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  const std::uint64_t pages = number_in("/proc/self/statm").value_or(0);
  return left_of(limit.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t available_memory() {
  return std::min({left_by_machine(), left_by_control_groups("/proc/self/cgroup", "/sys/fs/cgroup"),
                   left_of_address_space()});
}

std::uint64_t left_by_control_groups(const fs::path& membership, const fs::path& root) {
  std::uint64_t least = kNoLimit;
  std::ifstream file(membership);
  // Lines of "number:controllers:path"; version 2 has number 0 and no controllers.
  for (std::string line; std::getline(file, line);) {
    std::istringstream parts(line);
    std::string number;
    std::string controllers;
    std::string path;
    std::getline(parts, number, ':');
    std::getline(parts, controllers, ':');
    std::getline(parts, path);
    if (number == "0" && controllers.empty()) {
      // Beside groups of version 1, those of version 2 are mounted in a folder of their own.
      least = std::min(
          {least, left_by_groups(root, path, kVersion2), left_by_groups(root / "unified", path, kVersion2)});
    } else if (has_memory(controllers)) {
      least = std::min(least, left_by_groups(root / "memory", path, kVersion1));
    }
  }
  return least;
}

}  // namespace roipca::cli
