/// The number types of files: kind, size and byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace roipca::cli {

struct ElementType {
  enum class Kind { kBool, kSigned, kUnsigned, kFloat };

  Kind kind = Kind::kFloat;
  std::size_t size = 8;  ///< bytes: 1, 2, 4, 8, or 16 for x86's long double as NumPy writes it
  bool big_endian = false;

  bool operator==(const ElementType&) const = default;
};

/// Whether this machine can read numbers of this type.
bool is_supported(const ElementType& type);

/// Parses "f32", "u8", "i16" ..., with "be" appended for big-endian types. Returns nothing for other texts.
std::optional<ElementType> element_type_from_name(std::string_view name);

/// Whether the type is T in the byte order of this machine.
template <typename T>
bool is_native(const ElementType& type) {
  return type == ElementType{ElementType::Kind::kFloat, sizeof(T), false};
}

/// Converts `count` numbers at `from` to T (std::int64_t only for integers), written `to_stride` elements
/// apart. Swaps the bytes of big-endian numbers in place.
template <typename T>
void convert(char* from, std::size_t count, const ElementType& type, T* to, std::size_t to_stride = 1);

extern template void convert(char*, std::size_t, const ElementType&, float*, std::size_t);
extern template void convert(char*, std::size_t, const ElementType&, double*, std::size_t);
extern template void convert(char*, std::size_t, const ElementType&, std::int64_t*, std::size_t);

}  // namespace roipca::cli
