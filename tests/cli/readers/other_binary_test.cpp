#include <gtest/gtest.h>

#include <stdexcept>

#include "cli/reading.hpp"
#include "readers/binary.hpp"

namespace roipca::cli {
namespace {

RowMatrix<double> read_idx(const std::string& bytes) {
  auto stream = stream_of(bytes);
  const BinaryLayout layout = read_idx_header(*stream);
  return all_rows(*open_binary<double>(std::move(stream), layout));
}

RowMatrix<double> read_raw(const std::string& format, const std::string& bytes) {
  return all_rows(*open_binary<double>(stream_of(bytes), raw_layout(format)));
}

TEST(Idx, ImagesAreRowsOfBytes) {
  const std::string bytes("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02\1\2\3\4\5\6\7\xFF", 24);
  EXPECT_EQ(read_idx(bytes), (RowMatrix<double>(2, 4) << 1, 2, 3, 4, 5, 6, 7, 255).finished());
}

TEST(Idx, NumbersAreBigEndian) {
  const std::string bytes("\0\0\x0B\x02\0\0\0\x02\0\0\0\x01\x01\x02\xFF\xFF", 16);
  EXPECT_EQ(read_idx(bytes), (RowMatrix<double>(2, 1) << 258, -1).finished());
}

TEST(Idx, AFileTruncatedAtAnyLengthIsRefused) {
  const std::string whole("\0\0\x08\x02\0\0\0\x02\0\0\0\x02\1\2\3\4", 16);
  EXPECT_EQ(read_idx(whole).rows(), 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal_of([&] { read_idx(whole.substr(0, size)); }), "") << size;
  }
}

TEST(Idx, UnknownTypesAreRefused) {
  EXPECT_EQ(refusal_of([] { read_idx(std::string("\0\0\x0A\x02\0\0\0\1\0\0\0\1", 12)); }),
            "not an idx file: there is no type 10");
}

TEST(Raw, RowsAreReadAsTheFormatSays) {
  EXPECT_EQ(read_raw("raw:u8:3", "\1\2\3\4\5\6"), (RowMatrix<double>(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(read_raw("raw:i16be:1", std::string("\0\1\1\0", 4)),
            (RowMatrix<double>(2, 1) << 1, 256).finished());
}

TEST(Raw, AnIncompleteRowIsRefused) {
  EXPECT_EQ(refusal_of([] { read_raw("raw:u8:3", "1234"); }),
            "4 bytes are not a whole number of rows of 3 bytes");
}

TEST(Raw, AnInvalidFormatIsAWrongArgument) {
  for (const char* format : {"raw", "raw:", "raw:f32", "raw:f32:", "raw:f31:2", "raw:c64:2", "raw:f32:0",
                             "raw:f32:-1", "raw:f32:2x", "raw:f32:99999999999999999999"}) {
    EXPECT_THROW(raw_layout(format), std::invalid_argument) << format;
  }
}

}  // namespace
}  // namespace roipca::cli
