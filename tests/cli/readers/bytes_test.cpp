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

// Numbers as text, in members of all kinds of sizes.
TEST(Gzip, MembersFollowEachOther) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 100003) + (i % 9 == 0 ? '\n' : ',');
  for (const std::size_t size : {0U, 1U, 5U, 100U, 5000U, 60000U}) {
    const std::string first = text.substr(0, size);
    const std::string second = text.substr(size / 2, size / 3 + 5);
    const std::string both = packed(first) + packed(second) + packed("") + packed(first);
    EXPECT_EQ(content(*stream_of(both)), first + second + first) << size;
    for (const std::size_t cut : {1U, 8U, 9U, 17U}) {
      EXPECT_NE(refusal_of([&] { content(*stream_of(both.substr(0, both.size() - cut))); }).find("cut off"),
                std::string::npos)
          << size << ' ' << cut;
    }
  }
}

TEST(Gzip, NeverUnpacksToAnotherText) {
  const std::string text = "1.5,2.25,3\n4,5,6\n1.5,2.25,3\n";
  const std::string whole = packed(text);
  for (std::size_t bit = 8 * 2; bit < 8 * whole.size();
       ++bit) {  // without the two bytes that tell the format
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    std::string found = text;
    const std::string refusal = refusal_of([&] { found = content(*stream_of(flipped)); });
    EXPECT_TRUE(refusal != "" || found == text) << bit;
  }
}

TEST(Gzip, WhatFollowsIsAnotherMemberOrDamage) {
  for (const std::string& rest : {std::string("no gzip file"), std::string(100, '\0'), std::string("\x1f")}) {
    EXPECT_NE(refusal_of([&] { content(*stream_of(packed("text") + rest)); }), "");
  }
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
