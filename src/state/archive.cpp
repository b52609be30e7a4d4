#include "state/archive.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/checksum.hpp"

namespace roipca::state {
namespace {

static_assert(std::endian::native == std::endian::little, "states are little-endian");

// Increase it when the members that a class passes to an archive change, or their meaning.
constexpr std::uint32_t kVersion = 3;

constexpr std::string_view kFormat = "roipca-state";
constexpr std::size_t kVersionPlace = kFormat.size();
constexpr std::size_t kLengthPlace = kVersionPlace + sizeof(std::uint32_t);
constexpr std::size_t kChecksumPlace = kLengthPlace + sizeof(std::uint64_t);
constexpr std::size_t kHeaderSize = kChecksumPlace + sizeof(std::uint64_t);

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("invalid state: " + why); }

std::string need_have(std::uint64_t need, std::uint64_t have) {
  return "need " + std::to_string(need) + " bytes, have " + std::to_string(have);
}

template <typename Number>
void put(std::span<std::byte> bytes, std::size_t place, Number number) {
  std::memcpy(bytes.data() + place, &number, sizeof number);
}

template <typename Number>
Number get(std::span<const std::byte> bytes, std::size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

// The checksum of everything except the checksum itself.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  io::Crc64 checksum;
  checksum.add(bytes.first(kChecksumPlace));
  checksum.add(bytes.subspan(kHeaderSize));
  return checksum.value();
}

// Checks the header and returns the body.
std::span<const std::byte> opened(std::span<const std::byte> bytes) {
  const auto format = std::as_bytes(std::span(kFormat));
  const std::size_t seen = std::min(bytes.size(), format.size());
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(seen), format.begin())) {
    refuse("does not begin with \"" + std::string(kFormat) + "\"");
  }
  if (bytes.size() < kHeaderSize) refuse("incomplete header: " + need_have(kHeaderSize, bytes.size()));
  const auto version = get<std::uint32_t>(bytes, kVersionPlace);
  if (version != kVersion) {
    refuse("version is " + std::to_string(version) + ", but this roipca reads version " +
           std::to_string(kVersion));
  }
  const auto length = get<std::uint64_t>(bytes, kLengthPlace);
  const std::span<const std::byte> body = bytes.subspan(kHeaderSize);
  if (length != body.size()) refuse(need_have(length, body.size()));
  if (checksum_of(bytes) != get<std::uint64_t>(bytes, kChecksumPlace)) refuse("checksum mismatch");
  return body;
}

class Size final : public Archive {
 public:
  std::size_t value() const { return value_; }

 private:
  void transfer(std::span<std::byte> bytes) override { value_ += bytes.size(); }

  std::size_t value_ = 0;
};

class Writer final : public Archive {
 public:
  explicit Writer(std::span<std::byte> to) : left_(to) {}

 private:
  void transfer(std::span<std::byte> bytes) override {
    std::copy(bytes.begin(), bytes.end(), left_.begin());
    left_ = left_.subspan(bytes.size());
  }

  std::span<std::byte> left_;
};

class Reader final : public Archive {
 public:
  explicit Reader(std::span<const std::byte> from) : left_(from) {}

  std::size_t left() const { return left_.size(); }

 private:
  void transfer(std::span<std::byte> bytes) override {
    if (bytes.size() > left_.size()) refuse(need_have(bytes.size(), left_.size()));
    std::copy_n(left_.begin(), bytes.size(), bytes.begin());
    left_ = left_.subspan(bytes.size());
  }

  std::span<const std::byte> left_;
};

}  // namespace

void Archive::count(Index& number, Index most) {
  visit(number);
  if (number < 0 || number > most) {
    refuse("count is " + std::to_string(number) + ", but must be at most " + std::to_string(most));
  }
}

// As a byte, because not every byte is a valid bool.
void Archive::visit_flag(bool& flag) {
  auto byte = static_cast<std::uint8_t>(flag);
  visit(byte);
  if (flag != (byte != 0)) flag = !flag;
}

// A different size means that another version of the constructor chose it.
void Archive::expect_size(Index size) {
  auto stored = static_cast<std::int64_t>(size);
  visit(stored);
  if (stored != size)
    refuse("array has " + std::to_string(stored) + " numbers, expected " + std::to_string(size));
}

std::vector<std::byte> pack(const Visit& visit) {
  Size size;
  visit(size);
  std::vector<std::byte> bytes(kHeaderSize + size.value());
  std::memcpy(bytes.data(), kFormat.data(), kFormat.size());
  put(bytes, kVersionPlace, kVersion);
  put(bytes, kLengthPlace, std::uint64_t{size.value()});
  Writer writer{std::span(bytes).subspan(kHeaderSize)};
  visit(writer);
  put(bytes, kChecksumPlace, checksum_of(bytes));
  return bytes;
}

void unpack(std::span<const std::byte> bytes, const Visit& visit) {
  Reader reader(opened(bytes));
  visit(reader);
  if (reader.left() > 0) refuse(std::to_string(reader.left()) + " unexpected bytes at the end");
}

}  // namespace roipca::state
