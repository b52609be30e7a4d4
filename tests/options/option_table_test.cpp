#include "roipca/option_table.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/models.hpp"

namespace roipca {
namespace {

using namespace support;
using Limits = std::numeric_limits<double>;

const OptionRow& row_of(const std::string& name) {
  for (const OptionRow& row : option_table()) {
    if (row.name() == name) return row;
  }
  throw std::invalid_argument("no row " + name);
}

// A new member of Options does not compile here: count it, and give it a row.
TEST(OptionTable, HasARowForEachMember) {
  [[maybe_unused]] const auto [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = Options();
  EXPECT_EQ(option_table().size(), 18U);
}

TEST(OptionTable, AcceptsEveryDefault) {
  for (const OptionRow& row : option_table()) {
    Options options;
    EXPECT_NO_THROW(row.check(options)) << row.name();
    EXPECT_TRUE(row.from_text(options, row.to_text(Options()))) << row.name();
    EXPECT_EQ(options, Options()) << row.name();
  }
}

TEST(OptionTable, EveryWordSurvivesARoundTrip) {
  for (const OptionRow& row : option_table()) {
    for (const std::string& word : row.words()) {
      Options options;
      EXPECT_TRUE(row.from_text(options, word)) << row.name();
      EXPECT_EQ(row.to_text(options), word) << row.name();
    }
  }
}

TEST(OptionTable, EveryWordHasAMeaningOfItsOwn) {
  for (const OptionRow& row : option_table()) {
    for (const std::string& word : row.words()) {
      for (const std::string& other : row.words()) {
        Options options;
        Options others;
        row.from_text(options, word);
        row.from_text(others, other);
        EXPECT_EQ(options == others, word == other) << row.name() << ": " << word << ", " << other;
      }
    }
  }
}

TEST(OptionTable, RealNumbersSurviveARoundTripBitForBit) {
  for (const OptionRow& row : option_table()) {
    if (!row.numbers() || row.numbers()->integer) continue;
    for (const double number :
         {0.1, 1.0 / 3.0, 0.1 + 0.2, 1e22, 1e23, Limits::denorm_min(), Limits::min(), Limits::max()}) {
      if (!row.numbers()->contains(number)) continue;
      Options options;
      ASSERT_TRUE(row.set(options, number)) << row.name();
      Options back;
      ASSERT_TRUE(row.from_text(back, row.to_text(options))) << row.name();
      EXPECT_EQ(std::bit_cast<std::uint64_t>(std::get<double>(row.get(back))),
                std::bit_cast<std::uint64_t>(number))
          << row.name();
    }
  }
}

TEST(OptionTable, RangesEndWhereTheySay) {
  for (const OptionRow& row : option_table()) {
    if (!row.numbers()) continue;
    const NumberRange& range = *row.numbers();
    const auto accepts = [&](double number) {
      Options options;
      if (range.integer) return row.set(options, static_cast<std::int64_t>(number));
      return row.set(options, number);
    };
    const double step = range.integer ? 1.0 : Limits::epsilon();
    EXPECT_EQ(accepts(range.least), !range.above_least) << row.name();
    EXPECT_TRUE(accepts(range.least + step)) << row.name();
    EXPECT_FALSE(accepts(range.least - step)) << row.name();
    if (!std::isfinite(range.most)) continue;
    EXPECT_TRUE(accepts(range.most)) << row.name();
    EXPECT_FALSE(accepts(range.most + step)) << row.name();
  }
}

TEST(OptionTable, ValuesThatAreNotAcceptedChangeNothing) {
  for (const OptionRow& row : option_table()) {
    for (const char* text :
         {"", " 1", "1 ", "nan", "inf", "-inf", "1e999", "0x1p3", "99999999999999999999x", "maybe"}) {
      Options options;
      EXPECT_FALSE(row.from_text(options, text)) << row.name() << " = \"" << text << "\"";
      EXPECT_EQ(options, Options()) << row.name();
    }
    for (const double number : {kNan, kInf, -kInf}) {
      Options options;
      EXPECT_FALSE(row.set(options, number)) << row.name();
      EXPECT_EQ(options, Options()) << row.name();
    }
  }
}

TEST(OptionTable, AnIntegerIsAlsoARealNumber) {
  Options options;
  EXPECT_TRUE(row_of("mu").set(options, std::int64_t{3}));
  EXPECT_EQ(options.mu, Mu::fixed(3.0));
  EXPECT_FALSE(row_of("block_size").set(options, 3.0));
}

TEST(OptionTable, SaysWhatAnOptionAccepts) {
  EXPECT_EQ(row_of("tau").accepted(), "zero or optimal");
  EXPECT_EQ(row_of("mu").accepted(), "mean, zero or a number from 0");
  EXPECT_EQ(row_of("block_size").accepted(), "auto or an integer from 1 to 4096");
  EXPECT_EQ(row_of("forgetting").accepted(), "a number above 0 and at most 1");
}

}  // namespace
}  // namespace roipca
