#include <algorithm>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "roipca/types.hpp"

namespace roipca::detail {

void* allocate_numbers(std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  const bool is_large = bytes >= 2 * kHugePage;
  const std::size_t unit = is_large ? kHugePage : kLine;
  const std::size_t whole = std::max((bytes + unit - 1) / unit * unit, unit);
  if (whole < bytes) throw std::bad_alloc();
  void* memory = std::aligned_alloc(unit, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (is_large) madvise(memory, whole, MADV_HUGEPAGE);  // only advice; failure is harmless
#endif
  return memory;
}

void free_numbers(void* memory) noexcept { std::free(memory); }

}  // namespace roipca::detail
