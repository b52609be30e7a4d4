#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>

#include "cli/reading.hpp"
#include "readers/read_ahead.hpp"

namespace roipca::cli {
namespace {

std::string packed(const std::string& text) {
  z_stream state = {};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&state, text.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_out = static_cast<uInt>(bytes.size());
  deflate(&state, Z_FINISH);
  bytes.resize(state.total_out);
  deflateEnd(&state);
  return bytes;
}

std::string content(PeekedStream& stream) {
  std::string text(1 << 20, '\0');
  text.resize(stream.read_fully(text));
  return text;
}

TEST(Gzip, IsUnpackedWhereverItComesFrom) {
  const std::string text = std::string(100000, 'a') + "end";
  EXPECT_EQ(content(*stream_of(packed(text))), text);
  EXPECT_EQ(content(*pipe_of(packed(text))), text);
  EXPECT_EQ(content(*stream_of(packed(text) + packed("more"))), text + "more");
  EXPECT_EQ(content(*stream_of(packed(""))), "");
}

TEST(Gzip, DamageIsNoticed) {
  const std::string whole = packed("some text that is long enough");
  for (std::size_t size = 3; size < whole.size(); ++size) {
    EXPECT_NE(refusal_of([&] { content(*stream_of(whole.substr(0, size))); }), "") << size;
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 4);
  EXPECT_NE(refusal_of([&] { content(*stream_of(flipped)); }).find("damaged gzip"), std::string::npos);
}

TEST(PeekedStream, PeekingConsumesNothing) {
  const auto stream = pipe_of("abcdef");
  EXPECT_EQ(stream->peek(4), "abcd");
  EXPECT_EQ(stream->peek(2), "ab");
  EXPECT_EQ(stream->peek(9), "abcdef");
  EXPECT_EQ(content(*stream), "abcdef");
}

TEST(ReadAhead, BlocksComeInOrder) {
  int next = 0;
  ReadAhead<int> ahead([&](int& block) { return (block = next++) < 1000; });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(*ahead.next(), i);
  EXPECT_EQ(ahead.next(), nullptr);
}

TEST(ReadAhead, AnErrorComesAfterTheBlocksBeforeIt) {
  int next = 0;
  ReadAhead<int> ahead([&](int& block) {
    if (next == 2) throw FileError("bad");
    block = next++;
    return true;
  });
  EXPECT_EQ(*ahead.next(), 0);
  EXPECT_EQ(*ahead.next(), 1);
  EXPECT_THROW(ahead.next(), FileError);
}

TEST(ReadAhead, ReadsNoFurtherThanAllowed) {
  std::atomic<int> filled = 0;
  {
    ReadAhead<int> ahead([&](int& block) { return (block = ++filled) > 0; });
    EXPECT_EQ(*ahead.next(), 1);
  }
  EXPECT_LE(filled, 3);
}

}  // namespace
}  // namespace roipca::cli
