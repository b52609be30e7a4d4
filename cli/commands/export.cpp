#include <memory>

#include "arguments.hpp"
#include "feature_names.hpp"
#include "model_input.hpp"
#include "output_paths.hpp"

namespace roipca::cli {
namespace {

struct ExportSettings {
  std::string model;
  std::string table = "loadings";
  std::string output = "-";
};

// Numbers with a name for each row and column.
struct Table {
  std::string kind;  // what a row is
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  OwnedRows<double> numbers;
};

template <typename T>
Table loadings(const Model<T>& model) {
  const OwnedRows<T> components = model.components();
  Table table = {.kind = "feature",
                 .rows = column_names(model.feature_names, model.mean.size()),
                 .columns = component_names(static_cast<std::size_t>(components.rows())),
                 .numbers = OwnedRows<double>(model.features(), components.rows())};
  for (Index i = 0; i < components.rows(); ++i) {
    for (Index j = 0; j < components.cols(); ++j) table.numbers(j, i) = components(i, j);
  }
  return table;
}

template <typename T>
Table mean(const Model<T>& model) {
  const bool is_scaled = !model.scale.empty();
  Table table = {.kind = "feature",
                 .rows = column_names(model.feature_names, model.mean.size()),
                 .columns = {"mean"},
                 .numbers = OwnedRows<double>(model.features(), is_scaled ? 2 : 1)};
  if (is_scaled) table.columns.emplace_back("scale");
  for (Index j = 0; j < model.features(); ++j) {
    table.numbers(j, 0) = model.mean[static_cast<std::size_t>(j)];
    if (is_scaled) table.numbers(j, 1) = model.scale[static_cast<std::size_t>(j)];
  }
  return table;
}

template <typename T>
Table spectrum(const Model<T>& model) {
  const std::vector<double> variance = model.explained_variance();
  const std::vector<double> ratio = model.explained_variance_ratio();
  Table table = {.kind = "component",
                 .rows = component_names(variance.size()),
                 .columns = {"variance", "ratio", "cumulative"},
                 .numbers = OwnedRows<double>(static_cast<Index>(variance.size()), 3)};
  double sum = 0.0;
  for (std::size_t i = 0; i < variance.size(); ++i) {
    const auto row = static_cast<Index>(i);
    table.numbers(row, 0) = variance[i];
    table.numbers(row, 1) = ratio[i];
    table.numbers(row, 2) = sum += ratio[i];
  }
  return table;
}

template <typename T>
Table table_of(const Model<T>& model, const std::string& name) {
  if (name == "mean") return mean(model);
  if (name == "spectrum") return spectrum(model);
  return loadings(model);
}

void write(const Table& table, const std::string& path) {
  const bool has_names = !path.ends_with(".npy");
  const auto writer = open_writer<double>(path, table.columns, has_names ? table.kind : "");
  writer->write(table.numbers, has_names ? table.rows : std::vector<std::string>());
  writer->finish();
}

}  // namespace

Command add_export(CLI::App& program) {
  auto settings = std::make_shared<ExportSettings>();
  Arguments arguments(program, "export", "Write loadings, mean or spectrum as a table",
                      "roipca export model.safetensors --table spectrum -o spectrum.csv");
  arguments.add_argument("MODEL", settings->model, "Model file, as written by roipca fit, or a checkpoint");
  arguments.add("--table", settings->table,
                "Loadings: one row per feature, one column per component; mean: one row per feature, with "
                "the scale of standardized ones; spectrum: one row per component",
                {.choices = {"loadings", "mean", "spectrum"}});
  arguments.add(
      "-o,--output", settings->output,
      "Write the table to this file: .npy, .csv, .tsv, .h5, .parquet, or - for CSV on standard output");
  return arguments.command([settings] {
    watch_for_interrupts();
    as_usage([&] { check_output_path(settings->output); });
    require_apart({settings->output}, {settings->model});
    std::visit([&](const auto& model) { write(table_of(model, settings->table), settings->output); },
               load_model(settings->model));
  });
}

}  // namespace roipca::cli
