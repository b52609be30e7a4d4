#include "roipca/checkpoint.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "io/disk.hpp"
#include "io/naming.hpp"

namespace roipca {

template <typename T>
void save_checkpoint(const OnlinePca<T>& pca, const std::filesystem::path& path) {
  const std::vector<std::byte> state = pca.state();
  io::naming(path, [&] { io::replace_file(path, std::array{std::span<const std::byte>(state)}); });
}

template <typename T>
OnlinePca<T> load_checkpoint(const std::filesystem::path& path) {
  return io::naming(path, [&] {
    io::FileSource source(path);
    std::vector<std::byte> state(source.size());
    source.read(state);
    try {
      return OnlinePca<T>::from_state(state);
    } catch (const std::invalid_argument& error) {
      throw FileError(error.what());
    }
  });
}

template void save_checkpoint(const OnlinePca<float>&, const std::filesystem::path&);
template void save_checkpoint(const OnlinePca<double>&, const std::filesystem::path&);
template OnlinePca<float> load_checkpoint(const std::filesystem::path&);
template OnlinePca<double> load_checkpoint(const std::filesystem::path&);

}  // namespace roipca
