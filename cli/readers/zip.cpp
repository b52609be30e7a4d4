// The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "readers/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::string_view kLocator64 = "PK\x06\x07";
constexpr std::string_view kEntry = "PK\x01\x02";
constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kLocatorSize = 20;
constexpr std::uint64_t kEnd64Size = 56;
constexpr std::uint64_t kEntrySize = 46;
constexpr std::uint64_t kLocalSize = 30;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  // the size or offset is in an extra field, in 64 bits

[[noreturn]] void fail() { throw FileError("the zip directory is damaged, or the file is cut off"); }

// Reads an unsigned little-endian integer of `count` bytes.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  if (at + count > bytes.size()) fail();
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace

class ZipArchive::Stream : public ByteStream {
 public:
  Stream(ByteStream& file, std::string name, const Member& member, std::uint64_t begin)
      : file_(&file), name_(std::move(name)), member_(member), place_(begin), left_(member.packed_size) {
    constexpr int kRaw = -15;  // zlib's largest window, without a header
    if (member.is_deflated && inflateInit2(&state_, kRaw) != Z_OK) throw FileError("zip: not enough memory");
  }
  ~Stream() override {
    if (member_.is_deflated) inflateEnd(&state_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::size_t read(std::span<char> bytes) override {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), member_.size - given_));
    const std::size_t count = wanted == 0 ? 0 : unpack(bytes.first(wanted));
    checksum_ =
        static_cast<std::uint32_t>(::crc32_z(checksum_, reinterpret_cast<const Bytef*>(bytes.data()), count));
    given_ += count;
    if (given_ == member_.size && checksum_ != member_.checksum) refuse("its checksum is wrong");
    return count;
  }

  std::optional<double> fraction() const override {
    if (member_.size == 0) return std::nullopt;
    return static_cast<double>(given_) / static_cast<double>(member_.size);
  }

 private:
  [[noreturn]] void refuse(const char* reason) const {
    throw FileError(name_ + " is damaged at byte " + std::to_string(given_) + ": " + reason);
  }

  void fetch(std::span<char> bytes) {
    if (bytes.size() > left_ || !file_->read_at(place_, bytes)) refuse("it is cut off");
    place_ += bytes.size();
    left_ -= bytes.size();
  }

  std::size_t unpack(std::span<char> bytes) {
    if (!member_.is_deflated) {
      fetch(bytes);
      return bytes.size();
    }
    constexpr std::size_t kMostAtOnce = 1U << 30U;
    state_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    state_.avail_out = static_cast<uInt>(std::min(bytes.size(), kMostAtOnce));
    const uInt wanted = state_.avail_out;
    while (state_.avail_out == wanted) {
      if (state_.avail_in == 0) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), left_));
        if (count == 0) refuse("it is cut off");
        fetch(std::span(input_).first(count));
        state_.next_in = reinterpret_cast<Bytef*>(input_.data());
        state_.avail_in = static_cast<uInt>(count);
      }
      const int result = inflate(&state_, Z_NO_FLUSH);
      if (result == Z_STREAM_END && state_.avail_out == wanted) refuse("it is shorter than its header says");
      if (result != Z_OK && result != Z_STREAM_END) refuse("it cannot be unpacked");
    }
    return wanted - state_.avail_out;
  }

  ByteStream* file_;
  std::string name_;
  Member member_;
  std::uint64_t place_;
  std::uint64_t left_;
  std::uint64_t given_ = 0;
  std::uint32_t checksum_ = 0;
  std::vector<char> input_ = std::vector<char>(std::size_t{1} << 16U);
  z_stream state_ = {};
};

ZipArchive::ZipArchive(std::unique_ptr<ByteStream> file) : file_(std::move(file)) {
  const auto size = file_->size();
  if (!size) throw FileError("a zip or npz file cannot be read from a pipe or gzip file");
  size_ = *size;
  read_directory();
}

std::string ZipArchive::bytes_at(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_ || count > size_ - offset) fail();
  std::string bytes(count, '\0');
  if (!file_->read_at(offset, bytes)) fail();
  return bytes;
}

void ZipArchive::read_directory() {
  constexpr std::uint64_t kLongestComment = 0xFFFF;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;
  const std::uint64_t tail_size = std::min(size_, kEndSize + kLongestComment + kLocatorSize);
  const std::string tail = bytes_at(size_ - tail_size, tail_size);
  const std::size_t end = tail.rfind(kEnd);
  if (end == std::string::npos) fail();
  std::uint64_t count = number(tail, end + 10, 2);
  std::uint64_t bytes = number(tail, end + 12, 4);
  std::uint64_t place = number(tail, end + 16, 4);
  if (end >= kLocatorSize && std::string_view(tail).substr(end - kLocatorSize).starts_with(kLocator64)) {
    const std::string end64 = bytes_at(number(tail, end - kLocatorSize + 8, 8), kEnd64Size);
    if (!end64.starts_with(kEnd64)) fail();
    count = number(end64, 32, 8);
    bytes = number(end64, 40, 8);
    place = number(end64, 48, 8);
  }
  if (bytes > kMostBytes) throw FileError("invalid zip directory: " + std::to_string(bytes) + " bytes");
  const std::string directory = bytes_at(place, bytes);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) add_member(directory, at);
}

void ZipArchive::add_member(const std::string& directory, std::size_t& at) {
  if (!std::string_view(directory).substr(std::min(at, directory.size())).starts_with(kEntry)) fail();
  Member member;
  const std::uint64_t flags = number(directory, at + 8, 2);
  const std::uint64_t method = number(directory, at + 10, 2);
  member.checksum = static_cast<std::uint32_t>(number(directory, at + 16, 4));
  member.packed_size = number(directory, at + 20, 4);
  member.size = number(directory, at + 24, 4);
  const std::uint64_t name_size = number(directory, at + 28, 2);
  const std::uint64_t extra_size = number(directory, at + 30, 2);
  const std::uint64_t comment_size = number(directory, at + 32, 2);
  member.header = number(directory, at + 42, 4);
  if (at + kEntrySize + name_size + extra_size + comment_size > directory.size()) fail();
  const std::string name = directory.substr(at + kEntrySize, name_size);
  const std::string extra = directory.substr(at + kEntrySize + name_size, extra_size);
  for (std::size_t field = 0; field + 4 <= extra.size();) {
    const std::uint64_t length = number(extra, field + 2, 2);
    if (number(extra, field, 2) == 1) {
      std::size_t from = field + 4;
      for (std::uint64_t* value : {&member.size, &member.packed_size, &member.header}) {
        if (*value != kIn64) continue;
        *value = number(extra, from, 8);
        from += 8;
      }
    }
    field += 4 + length;
  }
  constexpr std::uint64_t kStored = 0;
  constexpr std::uint64_t kDeflated = 8;
  if ((flags & 1U) != 0 || (method != kStored && method != kDeflated)) {
    throw FileError(name + " is encrypted, or compressed by a method other than deflate");
  }
  member.is_deflated = method == kDeflated;
  members_[name] = member;
  at += kEntrySize + name_size + extra_size + comment_size;
}

std::string ZipArchive::names() const {
  std::string all;
  for (const auto& [name, member] : members_) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::unique_ptr<PeekedStream> ZipArchive::open(const std::string& name) const {
  const Member& member = members_.at(name);
  const std::string header = bytes_at(member.header, kLocalSize);
  if (!header.starts_with(kLocal)) fail();
  const std::uint64_t begin = member.header + kLocalSize + number(header, 26, 2) + number(header, 28, 2);
  return std::make_unique<PeekedStream>(std::make_unique<Stream>(*file_, name, member, begin));
}

}  // namespace roipca::cli
