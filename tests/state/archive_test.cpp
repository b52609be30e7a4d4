// Converts objects to bytes and back, and refuses other bytes.
#include "state/archive.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "io/checksum.hpp"

namespace roipca::state {
namespace {

struct Part {
  double number = 0.0;

  void visit_state(Archive& archive) { archive(number); }
};

struct Whole {
  explicit Whole(Index columns) : some(Matrix<double>::Zero(3, columns)) {}

  Matrix<double> some;
  Index used = 0;
  bool flag = false;
  std::optional<Index> perhaps;
  std::optional<Index> perhaps_not = 3;
  Part part;

  void visit_state(Archive& archive) {
    archive.count(used, some.cols());
    archive(some.leftCols(used), flag, perhaps, perhaps_not, part);
  }
};

template <typename Object>
std::vector<std::byte> packed(Object object) {
  return pack([&](Archive& archive) { archive(object); });
}

template <typename Object>
std::string refusal(std::span<const std::byte> bytes, Object to) {
  try {
    unpack(bytes, [&](Archive& archive) { archive(to); });
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

Whole example() {
  Whole whole(4);
  whole.some.setRandom();
  whole.used = 2;
  whole.flag = true;
  whole.perhaps = 7;
  whole.perhaps_not.reset();
  whole.part.number = 0.1;
  return whole;
}

TEST(Archive, RestoresWhatItWasGiven) {
  const Whole from = example();
  Whole to(4);
  unpack(packed(from), [&](Archive& archive) { archive(to); });
  EXPECT_EQ(to.used, 2);
  EXPECT_EQ(to.some.leftCols(2), from.some.leftCols(2));
  EXPECT_TRUE(to.some.rightCols(2).isZero(0.0));
  EXPECT_TRUE(to.flag);
  EXPECT_EQ(to.perhaps, 7);
  EXPECT_EQ(to.perhaps_not, std::nullopt);
  EXPECT_EQ(to.part.number, 0.1);
}

TEST(Archive, RefusesACountBeyondTheCapacity) {
  EXPECT_EQ(refusal(packed(example()), Whole(1)), "invalid state: count is 2, but must be at most 1");
}

TEST(Archive, RefusesAnArrayOfAnotherSize) {
  EXPECT_EQ(refusal(packed(Vector<double>::Zero(3).eval()), Vector<double>::Zero(4).eval()),
            "invalid state: array has 3 numbers, expected 4");
}

TEST(Archive, RefusesMoreAndFewerBytesThanItIsAskedFor) {
  EXPECT_EQ(refusal(packed(Part()), std::int32_t{0}), "invalid state: 4 unexpected bytes at the end");
  EXPECT_EQ(refusal(packed(std::int32_t{0}), Part()), "invalid state: need 8 bytes, have 4");
}

TEST(Archive, NamesWhatIsWrongWithTheHeader) {
  std::vector<std::byte> bytes = packed(Part());
  EXPECT_EQ(refusal(std::span(bytes).first(20), Part()),
            "invalid state: incomplete header: need 32 bytes, have 20");
  EXPECT_EQ(refusal(std::span(bytes).first(39), Part()), "invalid state: need 8 bytes, have 7");
  EXPECT_EQ(refusal(std::span(bytes).first(0), Part()),
            "invalid state: incomplete header: need 32 bytes, have 0");
  bytes[12] = std::byte{9};
  EXPECT_EQ(refusal(bytes, Part()), "invalid state: version is 9, but this roipca reads version 3");
  bytes[0] = std::byte{'R'};
  EXPECT_EQ(refusal(bytes, Part()), "invalid state: does not begin with \"roipca-state\"");
}

TEST(Archive, LaysOutBytesAsDocumented) {
  const std::vector<std::byte> bytes = packed(std::uint16_t{0x0201});
  const std::string head("roipca-state\3\0\0\0\2\0\0\0\0\0\0\0", 24);
  ASSERT_EQ(bytes.size(), 34U);
  EXPECT_EQ(std::memcmp(bytes.data(), head.data(), head.size()), 0);
  EXPECT_EQ(bytes[32], std::byte{1});
  EXPECT_EQ(bytes[33], std::byte{2});
  io::Crc64 crc;
  crc.add(std::span(bytes).first(24));
  crc.add(std::span(bytes).subspan(32));
  std::uint64_t stored = 0;
  std::memcpy(&stored, bytes.data() + 24, sizeof stored);
  EXPECT_EQ(stored, crc.value());
}

}  // namespace
}  // namespace roipca::state
