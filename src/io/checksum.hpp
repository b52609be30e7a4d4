/// CRC-64/XZ: reflected polynomial 0x42F0E1EBA9EA3693, start and end inverted; of "123456789"
/// 0x995DC9BBDF1939FA. Chosen because it promises what hashes only make likely: any change within 64
/// neighbouring bits is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace roipca::io {

class Crc64 {
 public:
  /// One to two nanoseconds a byte. The way bytes are cut into calls does not change the value.
  void add(std::span<const std::byte> bytes);

  std::uint64_t value() const { return ~state_; }
  /// Sixteen lower-case hexadecimal digits.
  std::string hex() const;

 private:
  std::uint64_t state_ = ~std::uint64_t{0};
};

}  // namespace roipca::io
