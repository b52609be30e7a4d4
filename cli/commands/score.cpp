#include <memory>

#include "arguments.hpp"
#include "model_input.hpp"

namespace roipca::cli {
namespace {

template <typename T>
void score(const Model<T>& model, const MapSettings& settings) {
  RowSource<T> source(settings.input.settings_for(model.features()));
  require_features(source, model, settings.input.paths.front());
  const auto writer = open_writer<double>(settings.output, {"t2", "spe"});
  map_rows<T, double>(source, *writer, [&](const auto& rows) {
    const std::vector<double> t2 = model.t2(rows);
    const std::vector<double> spe = model.spe(rows);
    OwnedRows<double> scores(rows.rows(), 2);
    for (Index i = 0; i < rows.rows(); ++i) {
      scores(i, 0) = t2[static_cast<std::size_t>(i)];
      scores(i, 1) = spe[static_cast<std::size_t>(i)];
    }
    return scores;
  });
}

}  // namespace

Command add_score(CLI::App& program) {
  auto settings = std::make_shared<MapSettings>();
  Arguments arguments(program, "score",
                      "Compute how unusual each row is: Hotelling's T^2, squared prediction error",
                      "roipca score model.safetensors today.csv -o unusual.csv");
  add_map_options(arguments, *settings, "Write t2 and spe of each row");
  return arguments.command(
      [settings] { std::visit([&](const auto& model) { score(model, *settings); }, begin_map(*settings)); });
}

}  // namespace roipca::cli
