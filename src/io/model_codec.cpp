#include "io/model_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "io/checksum.hpp"
#include "io/model_header.hpp"
#include "model/fields.hpp"

namespace roipca::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is the memory of little-endian machines");

using LengthBytes = std::array<std::byte, sizeof(std::uint64_t)>;

template <typename T>
constexpr NumberType kTypeOf = std::is_same_v<T, float> ? NumberType::kFloat : NumberType::kDouble;

const char* type_name(NumberType type) { return type == NumberType::kFloat ? "float (F32)" : "double (F64)"; }

template <typename Array>
std::span<const std::byte> bytes_of(const Array& array) {
  return std::as_bytes(std::span(array.data(), static_cast<std::size_t>(array.size())));
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

template <typename T>
ModelHeader header_of(const Model<T>& model) {
  ModelHeader header = {.type = kTypeOf<T>,
                        .features = static_cast<std::uint64_t>(model.features()),
                        .held = static_cast<std::uint64_t>(model.basis.rows()),
                        .probes = model.probe_products.size() / std::max<std::size_t>(1, model.mean.size()),
                        .optional_arrays = {},
                        .metadata = to_metadata(model)};
  visit_arrays(
      [&](const ArrayField& field, const auto& array) {
        if (field.is_optional && array.size() > 0) header.optional_arrays.emplace_back(field.name);
      },
      model);
  return header;
}

// Returns a model with the contents of the header and memory for the arrays.
template <typename T>
Model<T> described_model(const ModelHeader& header) {
  const auto features = static_cast<Index>(header.features);
  const auto held = static_cast<Index>(header.held);
  const auto probes = static_cast<Index>(header.probes);
  Model<T> model;
  read_metadata(header.metadata, model);
  visit_arrays(
      [&]<typename Array>(const ArrayField& field, Array& array) {
        if (!header.has(field)) return;
        if constexpr (std::is_same_v<Array, OwnedRows<T>>) {
          array.resize(held, features);
        } else {
          const Index size = field.extent == Extent::kFeatures ? features
                             : field.extent == Extent::kHeld   ? held
                                                               : probes * features;
          array.resize(static_cast<std::size_t>(size));
        }
      },
      model);
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

// The part of the file before the arrays, with its checksum.
struct Head {
  ModelHeader header;
  std::string stored_checksum;
  Crc64 checksum;
  std::uint64_t size = 0;  // in bytes
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
  Model<T> model = described_model<T>(head.header);
  visit_arrays(
      [&](const ArrayField&, auto& array) {
        source.read(std::as_writable_bytes(std::span(array.data(), static_cast<std::size_t>(array.size()))));
        head.checksum.add(bytes_of(array));
      },
      model);
  if (head.checksum.hex() != head.stored_checksum) {
    throw FileError("field \"checksum\": the file is damaged: the header says " + head.stored_checksum +
                    ", but the bytes give " + head.checksum.hex());
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
  visit_arrays(
      [&](const ArrayField&, const auto& array) {
        encoded.arrays.push_back(bytes_of(array));
        checksum.add(encoded.arrays.back());
      },
      model);
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
