/// The memory that the machine and the limits on this process leave.
#pragma once

#include <cstdint>
#include <filesystem>

namespace roipca::cli {

/// Returns the physical memory of the machine in bytes.
std::uint64_t physical_memory();

/// Returns the memory in bytes that this process can still use without swapping: the least of what the
/// machine has available, what its control groups leave (containers, systemd), and what RLIMIT_AS leaves
/// (ulimit -v).
std::uint64_t available_memory();

/// Returns the memory in bytes that a control group and those around it leave, version 1 or 2; the largest
/// number if there is no limit. Pages of files do not count as used, because the kernel gives them up.
/// `membership` lists the groups of a process as /proc/self/cgroup does, and `root` is where the groups are
/// mounted.
std::uint64_t left_by_control_groups(const std::filesystem::path& membership,
                                     const std::filesystem::path& root);

/// Returns what is left of a limit; 0 if more than that is used.
constexpr std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
  return used < limit ? limit - used : 0;
}

}  // namespace roipca::cli
