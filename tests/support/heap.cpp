#include "support/heap.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>

namespace {

std::atomic<long> count = 0;
std::atomic<long> left =
    std::numeric_limits<long>::max();  // number of allocations before the first that fails
std::atomic<long> bytes = 0;
std::atomic<long> most = 0;
std::atomic<long> first = 0;

bool may_allocate() {
  ++count;
  return --left >= 0;
}

void* counted(void* block) {
  if (block == nullptr) return nullptr;
  const long now = bytes += static_cast<long>(malloc_usable_size(block));
  long known = most;
  while (now > known && !most.compare_exchange_weak(known, now)) {
  }
  return block;
}

void discount(void* block) {
  if (block != nullptr) bytes -= static_cast<long>(malloc_usable_size(block));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): glibc's names
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t nmemb, std::size_t size);
void* __libc_realloc(void* ptr, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* ptr);

void* malloc(std::size_t size) { return may_allocate() ? counted(__libc_malloc(size)) : nullptr; }
void* calloc(std::size_t nmemb, std::size_t size) {
  return may_allocate() ? counted(__libc_calloc(nmemb, size)) : nullptr;
}
void* realloc(void* ptr, std::size_t size) {
  if (!may_allocate()) return nullptr;
  discount(ptr);
  return counted(__libc_realloc(ptr, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return may_allocate() ? counted(__libc_memalign(alignment, size)) : nullptr;
}
int posix_memalign(void** memptr, std::size_t alignment, std::size_t size) {
  *memptr = aligned_alloc(alignment, size);
  return *memptr == nullptr ? ENOMEM : 0;
}
void free(void* ptr) {
  discount(ptr);
  __libc_free(ptr);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace roipca::support::heap {

long allocations() { return count; }

void start_measuring() { most = first = bytes.load(); }
long peak() { return most - first; }

Shortage::Shortage(long count) { left = count; }
Shortage::~Shortage() { left = std::numeric_limits<long>::max(); }

}  // namespace roipca::support::heap
