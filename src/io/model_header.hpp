/// The JSON header of a model file: what the arrays are, and the settings (docs/format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/metadata.hpp"
#include "model/fields.hpp"

namespace roipca::io {

/// The type of the components; all other arrays are double.
enum class NumberType { kFloat, kDouble };

/// The place of one array in the file.
struct ArrayLayout {
  std::string_view name;
  NumberType type = NumberType::kDouble;
  std::vector<std::uint64_t> shape;
};

struct ModelHeader {
  NumberType type = NumberType::kDouble;
  std::uint64_t features = 0;
  std::uint64_t held = 0;
  std::uint64_t probes = 0;
  std::vector<std::string> optional_arrays;  ///< names of the optional arrays in the file
  Metadata metadata;

  bool has(const ArrayField& field) const;
  /// Returns the arrays in the order of the file.
  std::vector<ArrayLayout> arrays() const;
  /// Returns the number of bytes of all arrays. Throws FileError if no file could hold them.
  std::uint64_t data_size() const;
};

/// Largest size of a header. No header of this library comes near it; a longer one is refused before memory
/// is allocated.
inline constexpr std::uint64_t kMaxHeaderSize = std::uint64_t{1} << 20;

/// The place of the checksum is fixed: if it were found by parsing, a damaged file could show another place.
inline constexpr std::size_t kChecksumDigits = 16;
inline constexpr std::string_view kHeaderStart =
    R"({"__metadata__":{"format":"roipca-model","format_version":"1","checksum":")";
inline constexpr std::size_t kChecksumOffset = kHeaderStart.size();

/// Returns the header with a checksum of zeros, padded with spaces to a multiple of 8 bytes.
std::string write_header(const ModelHeader& header);

/// Parses a header. Throws FileError that names the byte (counted from the start of the file) or the field.
/// All sizes in the result agree with each other; the caller checks that the file is long enough.
ModelHeader read_header(std::string_view text);

}  // namespace roipca::io
