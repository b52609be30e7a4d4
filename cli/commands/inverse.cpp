#include <memory>
#include <type_traits>

#include "arguments.hpp"
#include "feature_names.hpp"
#include "model_input.hpp"

namespace roipca::cli {
namespace {

template <typename T>
void inverse(const Model<T>& model, const MapSettings& settings) {
  RowSource<T> source(settings.input_for(0));
  if (source.columns() != model.n_components) {
    throw FileError(settings.input.paths.front() + ": rows of " + std::to_string(source.columns()) +
                    " numbers, but the model has " + std::to_string(model.n_components) + " components");
  }
  const auto names = column_names(model.feature_names, static_cast<std::size_t>(model.features()));
  const auto writer = open_output<T>(settings, source, names);
  map_rows<T, T>(settings, source, *writer, [&]<typename AnyRows>(const AnyRows& rows) -> OwnedRows<T> {
    if constexpr (std::is_same_v<AnyRows, Rows<T>>) {
      return model.inverse_transform(rows);
    } else {
      throw FileError(settings.input.paths.front() + ": scores must be dense rows");
    }
  });
}

}  // namespace

Command add_inverse(CLI::App& program) {
  auto settings = std::make_shared<MapSettings>();
  Arguments arguments(program, "inverse", "Convert scores back to rows",
                      "roipca inverse model.safetensors scores.npy -o rows.npy");
  add_map_options(arguments, *settings, "Write the rows");
  return arguments.command([settings] {
    std::visit([&](const auto& model) { inverse(model, *settings); }, begin_map(*settings));
  });
}

}  // namespace roipca::cli
