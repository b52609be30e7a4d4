#include "readers/elements.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace roipca::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as little-endian machines do");

// NumPy's float128 on x86: ten bytes of data and six of padding.
constexpr bool kHasLongDouble = sizeof(long double) == 16 && LDBL_MANT_DIG == 64;

// NumPy's float16: IEEE half precision. Every such number is exact as a float.
struct Half {
  std::uint16_t bits;

  explicit operator float() const {
    const int exponent = (bits >> 10U) & 31U;
    const auto fraction = static_cast<float>(bits & 1023U);
    float size = 0.0F;
    if (exponent == 31) {
      size =
          fraction == 0.0F ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    } else {
      size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.0F + fraction, exponent - 25);
    }
    return (bits >> 15U) != 0 ? -size : size;
  }
};

template <typename From, typename T>
void convert_as(const char* from, std::size_t count, T* to, std::size_t to_stride) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    if constexpr (std::is_same_v<From, Half>) {
      to[i * to_stride] = static_cast<T>(static_cast<float>(value));
    } else {
      to[i * to_stride] = static_cast<T>(value);
    }
  }
}

template <typename T>
void convert_bools(const char* from, std::size_t count, T* to, std::size_t to_stride) {
  for (std::size_t i = 0; i < count; ++i) to[i * to_stride] = from[i] != 0 ? T{1} : T{0};
}

void reverse_each(char* bytes, std::size_t count, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
}

template <typename T>
using Converter = void (*)(const char*, std::size_t, T*, std::size_t);

template <typename T>
Converter<T> converter(const ElementType& type) {
  using Kind = ElementType::Kind;
  switch (type.kind) {
    case Kind::kBool:
      if (type.size == 1) return convert_bools<T>;
      break;
    case Kind::kSigned:
      if (type.size == 1) return convert_as<std::int8_t, T>;
      if (type.size == 2) return convert_as<std::int16_t, T>;
      if (type.size == 4) return convert_as<std::int32_t, T>;
      if (type.size == 8) return convert_as<std::int64_t, T>;
      break;
    case Kind::kUnsigned:
      if (type.size == 1) return convert_as<std::uint8_t, T>;
      if (type.size == 2) return convert_as<std::uint16_t, T>;
      if (type.size == 4) return convert_as<std::uint32_t, T>;
      if (type.size == 8) return convert_as<std::uint64_t, T>;
      break;
    case Kind::kFloat:
      if (type.size == 2) return convert_as<Half, T>;
      if (type.size == 4) return convert_as<float, T>;
      if (type.size == 8) return convert_as<double, T>;
      if (type.size == 16 && kHasLongDouble && !type.big_endian) return convert_as<long double, T>;
      break;
  }
  return nullptr;
}

}  // namespace

bool is_supported(const ElementType& type) { return converter<double>(type) != nullptr; }

std::optional<ElementType> element_type_from_name(std::string_view name) {
  ElementType type;
  if (name.ends_with("be")) {
    type.big_endian = true;
    name.remove_suffix(2);
  }
  if (name.empty()) return std::nullopt;
  if (name[0] == 'i') {
    type.kind = ElementType::Kind::kSigned;
  } else if (name[0] == 'u') {
    type.kind = ElementType::Kind::kUnsigned;
  } else if (name[0] != 'f') {
    return std::nullopt;
  }
  std::size_t bits = 0;
  const auto [stop, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bits);
  if (error != std::errc() || stop != name.data() + name.size() || bits % 8 != 0) return std::nullopt;
  type.size = bits / 8;
  if (!is_supported(type)) return std::nullopt;
  return type;
}

template <typename T>
void convert(char* from, std::size_t count, const ElementType& type, T* to, std::size_t to_stride) {
  const Converter<T> work = converter<T>(type);
  if (work == nullptr) throw std::invalid_argument("unsupported type of numbers");
  if (type.big_endian) reverse_each(from, count, type.size);
  work(from, count, to, to_stride);
}

template void convert(char*, std::size_t, const ElementType&, float*, std::size_t);
template void convert(char*, std::size_t, const ElementType&, double*, std::size_t);
template void convert(char*, std::size_t, const ElementType&, std::int64_t*, std::size_t);

}  // namespace roipca::cli
