/// Counts heap allocations, and lets them fail. Tests that link heap.cpp have malloc and its relatives, which
/// both Eigen and operator new call, replaced.
#pragma once

namespace roipca::support::heap {

/// Number of allocations since the program began.
long allocations();

/// Starts to measure again, at the bytes that are allocated now.
void start_measuring();
/// Returns by how many bytes the heap has been larger, at most, than when `start_measuring` was called.
long peak();

/// While it exists, every allocation after the next `count` fails.
class Shortage {
 public:
  explicit Shortage(long count);
  ~Shortage();
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
};

}  // namespace roipca::support::heap
