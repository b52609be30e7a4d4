#include "readers/byte_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace roipca::cli {
namespace {

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(std::span<char> bytes) override {
    const std::size_t count = bytes_.copy(bytes.data(), bytes.size(), position_);
    position_ += count;
    return count;
  }

  bool read_at(std::uint64_t offset, std::span<char> bytes) override {
    return offset <= bytes_.size() && bytes_.copy(bytes.data(), bytes.size(), offset) == bytes.size();
  }

  bool skip(std::uint64_t bytes) override {
    if (bytes > bytes_.size() - position_) return false;
    position_ += bytes;
    return true;
  }

  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

// The bytes that were peeked at, followed by the rest of the stream.
class Rejoined : public ByteStream {
 public:
  Rejoined(std::string first, std::unique_ptr<ByteStream> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> bytes) override {
    if (position_ == first_.size()) return rest_->read(bytes);
    const std::size_t count = first_.copy(bytes.data(), bytes.size(), position_);
    position_ += count;
    return count;
  }
  bool read_at(std::uint64_t offset, std::span<char> bytes) override { return rest_->read_at(offset, bytes); }
  std::optional<std::uint64_t> size() const override { return rest_->size(); }
  bool wait(std::chrono::milliseconds most) override {
    return position_ < first_.size() || rest_->wait(most);
  }
  std::optional<double> fraction() const override { return rest_->fraction(); }

 private:
  std::string first_;
  std::size_t position_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

}  // namespace

std::string_view PeekedStream::peek(std::size_t least, std::size_t most) {
  constexpr std::chrono::milliseconds kSilence{100};
  std::size_t have = peeked_.size();
  if (have < most) {
    peeked_.resize(most);
    while (have < least || (have < most && source_->wait(kSilence))) {
      const std::size_t more = source_->read(std::span(peeked_).subspan(have));
      if (more == 0) break;
      have += more;
    }
    peeked_.resize(have);
  }
  return std::string_view(peeked_).substr(0, most);
}

std::size_t PeekedStream::read(std::span<char> bytes) {
  if (peeked_.empty()) return source_->read(bytes);
  const std::size_t count = peeked_.copy(bytes.data(), bytes.size());
  peeked_.erase(0, count);
  return count;
}

bool PeekedStream::skip(std::uint64_t bytes) {
  const auto seen = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, peeked_.size()));
  if (bytes > seen && !source_->skip(bytes - seen)) return false;
  peeked_.erase(0, seen);
  return true;
}

std::size_t PeekedStream::read_fully(std::span<char> bytes) {
  std::size_t count = 0;
  while (count < bytes.size()) {
    const std::size_t more = read(bytes.subspan(count));
    if (more == 0) break;
    count += more;
  }
  return count;
}

std::unique_ptr<ByteStream> PeekedStream::release() {
  if (peeked_.empty()) return std::move(source_);
  return std::make_unique<Rejoined>(std::move(peeked_), std::move(source_));
}

std::unique_ptr<ByteStream> memory_stream(std::string bytes) {
  return std::make_unique<MemoryStream>(std::move(bytes));
}

std::unique_ptr<PeekedStream> unpacked(std::unique_ptr<ByteStream> stream) {
  auto peeked = std::make_unique<PeekedStream>(std::move(stream));
  constexpr std::string_view kGzip = "\x1f\x8b";
  constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
  constexpr std::string_view kXz("\xfd\x37\x7a\x58\x5a\x00", 6);
  // Two bytes decide whether to wait for more, because a whole row may be as short as that.
  const auto begins = [&](std::string_view magic) {
    return peeked->peek(2) == magic.substr(0, 2) && peeked->peek(magic.size()) == magic;
  };
  if (begins(kGzip)) return std::make_unique<PeekedStream>(gunzip(peeked->release()));
  if (begins(kZstd)) return std::make_unique<PeekedStream>(unpack_zstd(peeked->release()));
  if (begins(kXz)) return std::make_unique<PeekedStream>(unpack_xz(peeked->release()));
  return peeked;
}

}  // namespace roipca::cli
