#include "printable.hpp"

#include <gtest/gtest.h>

namespace roipca::cli {
namespace {

TEST(Printable, PlainTextAndUtf8StayAsTheyAre) {
  for (const char* text : {"", "a b~", "H\xC3\xB6he \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC2\xA0"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("\x1b[31mred\x07\n\r\t\x7f"), "\\x1b[31mred\\x07\\n\\r\\t\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");
}

TEST(Printable, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("a\xC3"), "a\\xc3");
  EXPECT_EQ(printable("\xC0\x9B"), "\\xc0\\x9b");
  EXPECT_EQ(printable("\xE2\x82(\xF5"), "\\xe2\\x82(\\xf5");
}

}  // namespace
}  // namespace roipca::cli
