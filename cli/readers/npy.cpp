// NumPy's array files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <charconv>
#include <string>

#include "readers/binary.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy's own headers of plain arrays take 128 bytes. Longer headers than this are refused before memory is
// allocated.
constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 16U;

// The header is a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_type = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        header.type = type();
        has_type = true;
      } else if (key == "fortran_order") {
        header.by_columns = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
        has_shape = true;
      } else {
        refuse("an entry \"" + std::string(key) + "\" that NumPy does not write");
      }
      if (!accept(',') && !next_is('}')) refuse("entries that are not separated by commas");
    }
    if (!has_type || !has_shape) refuse("no type or no shape");
    return header;
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw FileError("the npy header is damaged: it has " + what);
  }

  void skip_spaces() {
    const std::size_t start = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }

  bool next_is(char c) {
    skip_spaces();
    return rest_.starts_with(c);
  }

  bool accept(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse(std::string("no ") + c + " where one is expected");
  }

  std::string_view string() {
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) refuse("a string without an end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    refuse("a fortran_order that is neither True nor False");
  }

  std::uint64_t number() {
    skip_spaces();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) refuse("a shape that is not made of counts");
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    accept('L');  // written by Python 2
    return value;
  }

  std::vector<std::uint64_t> tuple() {
    constexpr std::size_t kMaxDimensions = 64;  // NumPy's own limit
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == kMaxDimensions) refuse("a shape of more than 64 dimensions");
      sizes.push_back(number());
      if (!accept(',') && !next_is(')')) refuse("a shape that is not a tuple");
    }
    return sizes;
  }

  ElementType type() {
    if (next_is('[') || next_is('(')) throw FileError("a structured dtype: only plain numbers can be read");
    const std::string_view name = string();
    ElementType type;
    if (name.size() < 3 || std::string_view("<>|=").find(name[0]) == std::string_view::npos) {
      throw FileError(refusal(name));
    }
    type.big_endian = name[0] == '>';
    switch (name[1]) {
      case 'b':
        type.kind = ElementType::Kind::kBool;
        break;
      case 'i':
        type.kind = ElementType::Kind::kSigned;
        break;
      case 'u':
        type.kind = ElementType::Kind::kUnsigned;
        break;
      case 'f':
        type.kind = ElementType::Kind::kFloat;
        break;
      default:
        throw FileError(refusal(name));
    }
    const auto [stop, error] = std::from_chars(name.data() + 2, name.data() + name.size(), type.size);
    if (error != std::errc() || stop != name.data() + name.size() || !is_supported(type)) {
      throw FileError(refusal(name));
    }
    return type;
  }

  static std::string refusal(std::string_view name) {
    const bool is_object = name.find('O') != std::string_view::npos;
    return "dtype \"" + std::string(name) + "\"" + (is_object ? " (Python objects)" : "") +
           ": only real numbers can be read";
  }

  std::string_view rest_;
};

}  // namespace

NpyHeader read_npy_start(PeekedStream& stream) {
  constexpr std::size_t kShortPreface = 10;  // magic, version, and two bytes of length
  constexpr std::size_t kLongPreface = 12;   // from version 2 on, four bytes of length
  std::string preface(kShortPreface, '\0');
  if (stream.read_fully(preface) < preface.size()) throw FileError("the npy header is cut off");
  if (!preface.starts_with(kMagic)) throw FileError("not an npy file: it does not begin with \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(preface[i])}; };
  const std::uint64_t version = byte(6);
  if (version < 1 || version > 3) {
    throw FileError("npy format version " + std::to_string(version) + ": only 1 to 3 are supported");
  }
  std::uint64_t length = byte(8) | byte(9) << 8U;
  if (version > 1) {
    preface.resize(kLongPreface);
    if (stream.read_fully(std::span(preface).subspan(kShortPreface)) < kLongPreface - kShortPreface) {
      throw FileError("the npy header is cut off");
    }
    length |= byte(10) << 16U | byte(11) << 24U;
  }
  if (length > kMaxHeader) {
    throw FileError("invalid npy header: " + std::to_string(length) + " bytes long");
  }
  std::string header(length, '\0');
  if (stream.read_fully(header) < length) throw FileError("the npy header is cut off");
  NpyHeader parsed = HeaderParser(header).parse();
  parsed.offset = preface.size() + length;
  return parsed;
}

BinaryLayout read_npy_header(PeekedStream& stream) {
  const NpyHeader header = read_npy_start(stream);
  BinaryLayout layout;
  layout.type = header.type;
  layout.offset = header.offset;
  layout.by_columns = header.by_columns;
  set_shape(layout, header.shape);
  if (layout.by_columns && header.shape.size() > 2) {
    throw FileError("the array has " + std::to_string(header.shape.size()) +
                    " dimensions in Fortran order: save it in C order");
  }
  return layout;
}

}  // namespace roipca::cli
