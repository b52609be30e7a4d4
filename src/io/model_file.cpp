#include "roipca/model_file.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "io/disk.hpp"
#include "io/model_codec.hpp"

namespace roipca {
namespace {

// Everything below this file speaks of bytes and fields; the path is put in front here, once.
template <typename Action>
auto naming(const std::filesystem::path& path, Action action) {
  try {
    return action();
  } catch (const FileError& error) {
    throw FileError(path.string() + ": " + error.what());
  }
}

}  // namespace

template <typename T>
void save(const Model<T>& model, const std::filesystem::path& path) {
  check(model);
  naming(path, [&] {
    const io::EncodedModel encoded = io::encode(model);
    std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(encoded.head))};
    pieces.insert(pieces.end(), encoded.arrays.begin(), encoded.arrays.end());
    io::replace_file(path, pieces);
  });
}

template <typename T>
Model<T> load(const std::filesystem::path& path) {
  return naming(path, [&] {
    io::FileSource source(path);
    return io::decode<T>(source);
  });
}

std::variant<Model<double>, Model<float>> load_any(const std::filesystem::path& path) {
  return naming(path, [&] {
    io::FileSource source(path);
    return io::decode_any(source);
  });
}

template void save(const Model<float>&, const std::filesystem::path&);
template void save(const Model<double>&, const std::filesystem::path&);
template Model<float> load(const std::filesystem::path&);
template Model<double> load(const std::filesystem::path&);

}  // namespace roipca
