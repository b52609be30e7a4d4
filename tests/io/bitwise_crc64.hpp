/// CRC-64/XZ one bit at a time, straight from its definition: the oracle for the table-driven one.
#pragma once

#include <cstdint>
#include <string_view>

namespace roipca::io {

inline std::uint64_t bitwise_crc64(std::string_view bytes) {
  std::uint64_t state = ~std::uint64_t{0};
  for (const char byte : bytes) {
    state ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0xC96C5795D7870F42 : 0);
  }
  return ~state;
}

}  // namespace roipca::io
