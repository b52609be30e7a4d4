#include "roipca/model_file.hpp"

#include "io/disk.hpp"
#include "io/memory_source.hpp"
#include "io/model_codec.hpp"
#include "io/naming.hpp"

namespace roipca {
namespace {

// The bytes of the file in pieces.
std::vector<std::span<const std::byte>> pieces_of(const io::EncodedModel& encoded) {
  std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(encoded.head))};
  pieces.insert(pieces.end(), encoded.arrays.begin(), encoded.arrays.end());
  return pieces;
}

}  // namespace

template <typename T>
void save(const Model<T>& model, const std::filesystem::path& path) {
  check(model);
  io::naming(path, [&] {
    const io::EncodedModel encoded = io::encode(model);
    io::replace_file(path, pieces_of(encoded));
  });
}

template <typename T>
Model<T> load(const std::filesystem::path& path) {
  return io::naming(path, [&] {
    io::FileSource source(path);
    return io::decode<T>(source);
  });
}

std::variant<Model<double>, Model<float>> load_any(const std::filesystem::path& path) {
  return io::naming(path, [&] {
    io::FileSource source(path);
    return io::decode_any(source);
  });
}

template <typename T>
std::vector<std::byte> to_bytes(const Model<T>& model) {
  check(model);
  const io::EncodedModel encoded = io::encode(model);
  std::vector<std::byte> bytes;
  for (const auto piece : pieces_of(encoded)) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

template <typename T>
Model<T> from_bytes(std::span<const std::byte> bytes) {
  io::MemorySource source(bytes);
  return io::decode<T>(source);
}

template void save(const Model<float>&, const std::filesystem::path&);
template void save(const Model<double>&, const std::filesystem::path&);
template Model<float> load(const std::filesystem::path&);
template Model<double> load(const std::filesystem::path&);
template std::vector<std::byte> to_bytes(const Model<float>&);
template std::vector<std::byte> to_bytes(const Model<double>&);
template Model<float> from_bytes(std::span<const std::byte>);
template Model<double> from_bytes(std::span<const std::byte>);

}  // namespace roipca
