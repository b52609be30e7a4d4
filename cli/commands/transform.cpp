#include <memory>

#include "arguments.hpp"
#include "feature_names.hpp"
#include "model_input.hpp"
#include "output_paths.hpp"

namespace roipca::cli {
namespace {

template <typename T>
void transform(const Model<T>& model, const MapSettings& settings) {
  RowSource<T> source(settings.input.settings());
  require_features(source, model, settings.input.paths.front());
  const auto writer =
      open_writer<T>(settings.output, component_names(static_cast<std::size_t>(model.n_components)));
  map_rows<T, T>(source, *writer, [&](const Rows<T>& rows) { return model.transform(rows); });
}

}  // namespace

Command add_transform(CLI::App& program) {
  auto settings = std::make_shared<MapSettings>();
  Arguments arguments(program, "transform", "Convert rows to scores on the components",
                      "roipca transform model.safetensors new.csv -o scores.npy");
  add_map_options(arguments, *settings, "Write the scores");
  return arguments.command([settings] {
    watch_for_interrupts();
    settings->input.apply_memory_limit();
    as_usage([&] { check_output_path(settings->output); });
    require_apart({settings->output}, settings->input.paths);
    require_apart({settings->output}, {settings->model});
    std::visit([&](const auto& model) { transform(model, *settings); }, load_any(settings->model));
  });
}

}  // namespace roipca::cli
