// Saves a model, and loads it in another program.
#include <cassert>
#include <cstddef>
#include <roipca/model_file.hpp>
#include <roipca/online_pca.hpp>
#include <variant>
#include <vector>

int main() {
  const std::vector<float> numbers = {1.0F, 2.0F, 3.0F, 5.0F, 4.0F, 9.0F};
  roipca::OnlinePca<float> pca({.n_components = 1});
  const roipca::Model<float> model = pca.partial_fit(roipca::Rows<float>(numbers.data(), 3, 2)).model();

  roipca::save(model, "example.safetensors");
  assert(roipca::load<float>("example.safetensors") == model);

  // For files of others, in which numbers may be float or double.
  const auto any = roipca::load_any("example.safetensors");
  const auto features = std::visit([](const auto& loaded) { return loaded.features(); }, any);
  assert(features == 2);

  // The same bytes without a file: for a network or a database.
  const std::vector<std::byte> bytes = roipca::to_bytes(model);
  assert(roipca::from_bytes<float>(bytes) == model);
}
