#include <memory>
#include <type_traits>

#include "arguments.hpp"
#include "feature_names.hpp"
#include "model_input.hpp"

namespace roipca::cli {
namespace {

template <typename T>
void impute(const Model<T>& model, const MapSettings& settings) {
  RowSource<T> source(settings.input_for(model.features(), /*gaps=*/true));
  require_features(source, model);
  const auto names = column_names(model.feature_names, static_cast<std::size_t>(model.features()));
  const auto writer = open_output<T>(settings, source, names);
  map_rows<T, T>(settings, source, *writer, [&]<typename AnyRows>(const AnyRows& rows) -> OwnedRows<T> {
    if constexpr (std::is_same_v<AnyRows, Rows<T>>) {
      return model.impute(rows);
    } else {
      throw FileError(settings.input.paths.front() + ": sparse rows have no missing values");
    }
  });
}

}  // namespace

Command add_impute(CLI::App& program) {
  auto settings = std::make_shared<MapSettings>();
  Arguments arguments(program, "impute", "Fill missing values with the values that the model expects",
                      "roipca impute model.safetensors gaps.csv -o filled.csv");
  add_map_options(arguments, *settings, "Write the rows");
  return arguments.command(
      [settings] { std::visit([&](const auto& model) { impute(model, *settings); }, begin_map(*settings)); });
}

}  // namespace roipca::cli
