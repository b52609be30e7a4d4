#include "io/model_codec.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "io/checksum.hpp"
#include "io/model_header.hpp"

namespace roipca::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is the memory of little-endian machines");

using LengthBytes = std::array<std::byte, sizeof(std::uint64_t)>;

template <typename T>
constexpr NumberType kTypeOf = std::is_same_v<T, float> ? NumberType::kFloat : NumberType::kDouble;

const char* type_name(NumberType type) { return type == NumberType::kFloat ? "float (F32)" : "double (F64)"; }

// The model's arrays in the order of ModelHeader::arrays().
template <typename ModelType, typename Visitor>
void for_each_array(ModelType& model, Visitor visit) {
  visit(model.mean);
  visit(model.mean_tail);
  visit(model.scatter);
  visit(model.eigenvalues);
  visit(model.basis);
}

template <typename Array>
std::span<const std::byte> bytes_of(const Array& array) {
  return std::as_bytes(std::span(array.data(), static_cast<std::size_t>(array.size())));
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

template <typename T>
ModelHeader header_of(const Model<T>& model) {
  return {.type = kTypeOf<T>,
          .features = static_cast<std::uint64_t>(model.features()),
          .held = static_cast<std::uint64_t>(model.basis.rows()),
          .settings = {.options = model.options,
                       .resolved = model.resolved,
                       .n_components = model.n_components,
                       .rows = model.rows,
                       .weight = model.weight,
                       .weight_pairs = model.weight_pairs,
                       .scatter_trace = model.scatter_trace,
                       .feature_names = model.feature_names,
                       .parameters = model.parameters}};
}

template <typename T>
Model<T> empty_model(const ModelHeader& header) {
  const auto features = static_cast<std::size_t>(header.features);
  const auto held = static_cast<std::size_t>(header.held);
  Model<T> model;
  model.options = header.settings.options;
  model.resolved = header.settings.resolved;
  model.n_components = header.settings.n_components;
  model.rows = header.settings.rows;
  model.weight = header.settings.weight;
  model.weight_pairs = header.settings.weight_pairs;
  model.scatter_trace = header.settings.scatter_trace;
  model.feature_names = header.settings.feature_names;
  model.parameters = header.settings.parameters;
  model.mean.resize(features);
  model.mean_tail.resize(features);
  model.scatter.resize(features);
  model.eigenvalues.resize(held);
  model.basis.resize(static_cast<Index>(held), static_cast<Index>(features));
  return model;
}

std::string need_have(std::uint64_t need, std::uint64_t have) {
  return "need " + std::to_string(need) + " bytes, have " + std::to_string(have);
}

std::uint64_t read_header_size(ByteSource& source, LengthBytes& bytes) {
  if (source.size() < bytes.size()) {
    throw FileError("byte 0: the length of the header: " + need_have(bytes.size(), source.size()));
  }
  source.read(bytes);
  const auto size = std::bit_cast<std::uint64_t>(bytes);
  const std::uint64_t have = source.size() - bytes.size();
  if (size > kMaxHeaderSize) {
    throw FileError("byte 0: not a roipca model, which begins with the length of its header, at most " +
                    std::to_string(kMaxHeaderSize));
  }
  if (size > have) throw FileError("byte 8: the header: " + need_have(size, have));
  return size;
}

void check_size(const ModelHeader& header, std::uint64_t data_begin, std::uint64_t size) {
  const std::uint64_t have = size - data_begin;
  if (header.data_size() != have) {
    throw FileError("byte " + std::to_string(data_begin) +
                    ": the arrays: " + need_have(header.data_size(), have));
  }
}

// What comes before the arrays, with the checksum of it.
struct Head {
  ModelHeader header;
  std::string stored_checksum;
  Crc64 checksum;
  std::uint64_t size = 0;  // bytes
};

Head read_head(ByteSource& source) {
  LengthBytes length{};
  std::string text(read_header_size(source, length), '\0');
  source.read(std::as_writable_bytes(std::span(text)));
  Head head;
  head.header = read_header(text);
  head.size = length.size() + text.size();
  head.stored_checksum = text.substr(kChecksumOffset, kChecksumDigits);
  text.replace(kChecksumOffset, kChecksumDigits, kChecksumDigits, '0');
  head.checksum.add(length);
  head.checksum.add(bytes_of(text));
  return head;
}

template <typename T>
Model<T> read_arrays(ByteSource& source, Head head) {
  check_size(head.header, head.size, source.size());
  Model<T> model = empty_model<T>(head.header);
  for_each_array(model, [&](auto& array) {
    source.read(std::as_writable_bytes(std::span(array.data(), static_cast<std::size_t>(array.size()))));
    head.checksum.add(bytes_of(array));
  });
  if (head.checksum.hex() != head.stored_checksum) {
    throw FileError("field \"checksum\": the file is damaged: it says " + head.stored_checksum +
                    ", its bytes give " + head.checksum.hex());
  }
  try {
    check(model);
  } catch (const std::invalid_argument& error) {
    throw FileError(std::string("not a valid model: ") + error.what());
  }
  return model;
}

}  // namespace

template <typename T>
EncodedModel encode(const Model<T>& model) {
  const std::string header = write_header(header_of(model));
  if (header.size() > kMaxHeaderSize) {
    throw FileError("the feature names or parameters are too long for a header of at most " +
                    std::to_string(kMaxHeaderSize) + " bytes");
  }
  const auto length = std::bit_cast<std::array<char, sizeof(LengthBytes)>>(std::uint64_t{header.size()});
  EncodedModel encoded{.head = std::string(length.data(), length.size()) + header, .arrays = {}};
  Crc64 checksum;
  checksum.add(bytes_of(encoded.head));
  for_each_array(model, [&](const auto& array) {
    encoded.arrays.push_back(bytes_of(array));
    checksum.add(encoded.arrays.back());
  });
  encoded.head.replace(length.size() + kChecksumOffset, kChecksumDigits, checksum.hex());
  return encoded;
}

template <typename T>
Model<T> decode(ByteSource& source) {
  Head head = read_head(source);
  if (head.header.type != kTypeOf<T>) {
    throw FileError(std::string("field \"components\": the model holds ") + type_name(head.header.type) +
                    " components and cannot be loaded as " + type_name(kTypeOf<T>));
  }
  return read_arrays<T>(source, std::move(head));
}

std::variant<Model<double>, Model<float>> decode_any(ByteSource& source) {
  Head head = read_head(source);
  if (head.header.type == NumberType::kFloat) return read_arrays<float>(source, std::move(head));
  return read_arrays<double>(source, std::move(head));
}

template EncodedModel encode(const Model<float>&);
template EncodedModel encode(const Model<double>&);
template Model<float> decode(ByteSource&);
template Model<double> decode(ByteSource&);

}  // namespace roipca::io
