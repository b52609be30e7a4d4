#include "io/checksum.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/bitwise_crc64.hpp"

namespace roipca::io {
namespace {

std::string some_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i * i + 7 * i);
  return text;
}

void add(Crc64& crc, const std::string& text) { crc.add(std::as_bytes(std::span(text))); }

TEST(Checksum, IsCrc64XzByItsPublishedCheckValue) {
  Crc64 crc;
  add(crc, "123456789");
  EXPECT_EQ(crc.value(), 0x995DC9BBDF1939FA);
  EXPECT_EQ(crc.hex(), "995dc9bbdf1939fa");
}

TEST(Checksum, AgreesWithTheDefinitionAtEveryLength) {
  for (std::size_t size = 0; size < 40; ++size) {
    Crc64 crc;
    add(crc, some_text(size));
    EXPECT_EQ(crc.value(), bitwise_crc64(some_text(size))) << size << " bytes";
  }
}

TEST(Checksum, DoesNotDependOnHowBytesAreCutIntoCalls) {
  const std::string text = some_text(40);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Crc64 crc;
    add(crc, text.substr(0, cut));
    add(crc, text.substr(cut));
    EXPECT_EQ(crc.value(), bitwise_crc64(text)) << "cut at " << cut;
  }
}

TEST(Checksum, KeepsLeadingZerosInItsDigits) {
  std::size_t size = 0;
  while (bitwise_crc64(some_text(size)) >> 60 != 0) ++size;
  Crc64 crc;
  add(crc, some_text(size));
  EXPECT_EQ(crc.hex().size(), 16U);
  EXPECT_EQ(crc.hex().front(), '0');
}

}  // namespace
}  // namespace roipca::io
