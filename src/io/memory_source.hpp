/// Bytes in memory.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "io/byte_source.hpp"

namespace roipca::io {

/// Does not own the bytes.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : size_(bytes.size()), left_(bytes) {}

  std::uint64_t size() const override { return size_; }

  void read(std::span<std::byte> bytes) override {
    if (bytes.size() > left_.size()) throw std::logic_error("read beyond the end of the bytes");
    std::copy_n(left_.begin(), bytes.size(), bytes.begin());
    left_ = left_.subspan(bytes.size());
  }

 private:
  std::uint64_t size_;
  std::span<const std::byte> left_;
};

}  // namespace roipca::io
