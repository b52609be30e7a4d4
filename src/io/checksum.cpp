#include "io/checksum.hpp"

#include <array>
#include <cstring>

namespace roipca::io {
namespace {

constexpr std::size_t kSlices = 8;
using Table = std::array<std::array<std::uint64_t, 256>, kSlices>;

// table[s][b] is the effect of byte b followed by s zero bytes, so that eight bytes are one step of eight
// lookups that do not wait for each other.
constexpr Table make_table() {
  constexpr std::uint64_t kReflectedPolynomial = 0xC96C5795D7870F42;
  Table table{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? kReflectedPolynomial : 0);
    table[0][byte] = state;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t shorter = table[slice - 1][byte];
      table[slice][byte] = (shorter >> 8) ^ table[0][shorter & 0xFF];
    }
  }
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

void Crc64::add(std::span<const std::byte> bytes) {
  while (bytes.size() >= kSlices) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(),
                kSlices);  // little-endian, as model_codec.cpp asserts for the whole format
    word ^= state_;
    state_ = 0;
    for (std::size_t i = 0; i < kSlices; ++i) {
      state_ ^= kTable[kSlices - 1 - i][word >> (8 * i) & 0xFF];
    }
    bytes = bytes.subspan(kSlices);
  }
  for (const std::byte byte : bytes) {
    state_ = (state_ >> 8) ^ kTable[0][(state_ ^ static_cast<std::uint64_t>(byte)) & 0xFF];
  }
}

std::string Crc64::hex() const {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[value() >> shift & 0xF];
  return text;
}

}  // namespace roipca::io
