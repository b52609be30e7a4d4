// The format of MNIST: two zero bytes, a type, the number of dimensions, and each dimension as a big-endian
// integer.
#include "readers/binary.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

ElementType type_from_code(unsigned char code) {
  using Kind = ElementType::Kind;
  switch (code) {
    case 0x08:
      return {Kind::kUnsigned, 1, false};
    case 0x09:
      return {Kind::kSigned, 1, false};
    case 0x0B:
      return {Kind::kSigned, 2, true};
    case 0x0C:
      return {Kind::kSigned, 4, true};
    case 0x0D:
      return {Kind::kFloat, 4, true};
    case 0x0E:
      return {Kind::kFloat, 8, true};
    default:
      throw FileError("not an idx file: there is no type " + std::to_string(code));
  }
}

}  // namespace

BinaryLayout read_idx_header(PeekedStream& stream) {
  constexpr std::size_t kMagic = 4;
  constexpr std::size_t kCount = 4;
  std::string magic(kMagic, '\0');
  if (stream.read_fully(magic) < kMagic) throw FileError("the idx header is cut off");
  if (magic[0] != 0 || magic[1] != 0)
    throw FileError("not an idx file: it does not begin with two zero bytes");
  BinaryLayout layout;
  layout.type = type_from_code(static_cast<unsigned char>(magic[2]));
  const std::size_t dimensions = static_cast<unsigned char>(magic[3]);
  std::string counts(dimensions * kCount, '\0');
  if (stream.read_fully(counts) < counts.size()) throw FileError("the idx header is cut off");
  std::vector<std::uint64_t> shape(dimensions);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    shape[i / kCount] = shape[i / kCount] << 8U | static_cast<unsigned char>(counts[i]);
  }
  set_shape(layout, shape);
  layout.offset = magic.size() + counts.size();
  return layout;
}

}  // namespace roipca::cli
