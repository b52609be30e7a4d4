/// Memory for long rows.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

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
    void operator()(T* p) const { detail::free_numbers(p); }
  };

  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  static T* allocate(Index size) {
    return static_cast<T*>(detail::allocate_numbers(static_cast<std::size_t>(size) * sizeof(T)));
  }

  Index size_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace roipca::simd
