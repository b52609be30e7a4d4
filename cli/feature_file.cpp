#include "feature_file.hpp"

#include <algorithm>
#include <optional>

#include "readers/binary.hpp"
#include "readers/csv_records.hpp"
#include "readers/number.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

std::vector<double> npy_numbers(PeekedStream& stream) {
  const NpyHeader header = read_npy_start(stream);
  if (header.shape.size() != 1) {
    throw FileError("the array has " + std::to_string(header.shape.size()) + " dimensions, not one");
  }
  std::vector<double> numbers;
  std::vector<char> bytes;
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
  while (numbers.size() < header.shape[0]) {
    const auto count = static_cast<std::size_t>(std::min(kPiece, header.shape[0] - numbers.size()));
    bytes.resize(count * header.type.size);
    if (stream.read_fully(bytes) < bytes.size()) {
      throw FileError("cut off: " + std::to_string(header.shape[0]) + " numbers are expected");
    }
    numbers.resize(numbers.size() + count);
    convert(bytes.data(), count, header.type, numbers.data() + numbers.size() - count);
  }
  return numbers;
}

struct Line {
  std::int64_t number = 0;
  std::string text;
};

std::vector<Line> text_lines(std::unique_ptr<PeekedStream> stream) {
  CsvRecords records(std::move(stream));
  records.ignore_quotes();
  std::vector<Line> lines;
  Record record;
  while (records.next(record)) {
    const std::size_t first = record.text.find_first_not_of(" \t");
    const std::size_t last = record.text.find_last_not_of(" \t");
    if (first != std::string_view::npos) {
      lines.push_back({record.line, std::string(record.text.substr(first, last - first + 1))});
    }
  }
  if (lines.empty()) throw FileError("the file has no lines");
  return lines;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  if (parse_number(text.data(), end, value) != end) return std::nullopt;
  return value;
}

std::optional<bool> flag_in(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text == "true" || text == "false") return text == "true";
  const auto number = number_in(text);
  if (!number || (*number != 0.0 && *number != 1.0)) return std::nullopt;
  return *number == 1.0;
}

// Adds the path of the file to errors.
template <typename Read>
auto reading(const std::string& path, Read&& read) {
  try {
    return read(open_stream(path));
  } catch (const FileError& error) {
    throw FileError(path + ": " + error.what());
  }
}

}  // namespace

std::vector<double> read_feature_weights(const std::string& path) {
  return reading(path, [](std::unique_ptr<PeekedStream> stream) {
    if (stream->peek(kNpyMagic.size()) == kNpyMagic) return npy_numbers(*stream);
    std::vector<double> weights;
    for (const Line& line : text_lines(std::move(stream))) {
      const auto number = number_in(line.text);
      if (!number) {
        throw FileError("line " + std::to_string(line.number) + ": \"" + line.text + "\" is not a number");
      }
      weights.push_back(*number);
    }
    return weights;
  });
}

FeatureMask read_feature_mask(const std::string& path) {
  return reading(path, [](std::unique_ptr<PeekedStream> stream) {
    FeatureMask mask;
    if (stream->peek(kNpyMagic.size()) == kNpyMagic) {
      for (const double number : npy_numbers(*stream)) mask.flags.push_back(number != 0.0);
      return mask;
    }
    const std::vector<Line> lines = text_lines(std::move(stream));
    for (const Line& line : lines) {
      const auto flag = flag_in(line.text);
      if (!flag) break;
      mask.flags.push_back(*flag);
    }
    if (mask.flags.size() == lines.size()) return mask;
    mask.flags.clear();
    for (const Line& line : lines) mask.names.push_back(line.text);
    return mask;
  });
}

}  // namespace roipca::cli
