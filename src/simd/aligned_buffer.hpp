/// Memory for long rows.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "roipca/types.hpp"

namespace roipca::simd {

/// An array of fixed size, initially zero and aligned to cache lines. Large ones request huge pages: with
/// pages of 4 KiB, address translation for rows of a million features takes as long as the arithmetic.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit AlignedBuffer(Index size) : size_(size), data_(allocate(size)) {
    if (size > 0) std::memset(data_.get(), 0, bytes());
  }
  AlignedBuffer(const AlignedBuffer& other) : size_(other.size_), data_(allocate(other.size_)) {
    if (size_ > 0) std::memcpy(data_.get(), other.data_.get(), bytes());
  }
  AlignedBuffer(AlignedBuffer&&) noexcept = default;
  AlignedBuffer& operator=(AlignedBuffer other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~AlignedBuffer() = default;

  Index size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };

  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  static T* allocate(Index size) {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kHugePage = std::size_t{1} << 21;
    const std::size_t bytes = std::max(static_cast<std::size_t>(size) * sizeof(T), kLine);
    const bool is_large = bytes >= 2 * kHugePage;
    const std::size_t unit = is_large ? kHugePage : kLine;
    const std::size_t whole = (bytes + unit - 1) / unit * unit;
    void* memory = std::aligned_alloc(unit, whole);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    if (is_large) madvise(memory, whole, MADV_HUGEPAGE);  // only advice; failure is harmless
#endif
    return static_cast<T*>(memory);
  }

  Index size_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace roipca::simd
