#include <memory>

#include "arguments.hpp"
#include "feature_names.hpp"
#include "model_input.hpp"

namespace roipca::cli {
namespace {

template <typename T>
void transform(const Model<T>& model, const MapSettings& settings) {
  RowSource<T> source(settings.input_for(model.features(), takes_gaps(model)));
  require_features(source, model);
  const auto writer =
      open_output<T>(settings, source, component_names(static_cast<std::size_t>(model.n_components)));
  map_rows<T, T>(settings, source, *writer, [&](const auto& rows) { return model.transform(rows); });
}

}  // namespace

Command add_transform(CLI::App& program) {
  auto settings = std::make_shared<MapSettings>();
  Arguments arguments(program, "transform", "Convert rows to scores on the components",
                      "roipca transform model.safetensors new.csv -o scores.npy");
  add_map_options(arguments, *settings, "Write the scores");
  return arguments.command([settings] {
    std::visit([&](const auto& model) { transform(model, *settings); }, begin_map(*settings));
  });
}

}  // namespace roipca::cli
