#include "roipca/merge.hpp"

#include <cstdio>
#include <memory>

#include "command.hpp"
#include "model_input.hpp"
#include "model_output.hpp"
#include "output_paths.hpp"

namespace roipca::cli {
namespace {

struct MergeSettings {
  std::vector<std::string> models;
  std::string output = "model.safetensors";
};

template <typename T>
void add_to(Model<T>& all, const AnyModel& other, const std::string& path) {
  const auto* model = std::get_if<Model<T>>(&other);
  if (model == nullptr) throw FileError(path + ": a float32 and a float64 model cannot be merged");
  if (!all.feature_names.empty() && !model->feature_names.empty() &&
      all.feature_names != model->feature_names) {
    throw FileError(path + ": its feature names are not those of the first model");
  }
  auto names = all.feature_names.empty() ? model->feature_names : all.feature_names;
  try {
    all = merge(all, *model);
  } catch (const std::invalid_argument& error) {
    throw FileError(path + ": " + error.what());
  }
  all.feature_names = std::move(names);
}

}  // namespace

Command add_merge(CLI::App& program) {
  auto* app = program.add_subcommand("merge", "Models of parts of the rows into one of all");
  auto settings = std::make_shared<MergeSettings>();
  app->add_option("MODEL", settings->models, "Two or more, of the same features and components")
      ->required()
      ->expected(2, 1 << 20);
  app->add_option("-o,--output", settings->output, "Where the model goes")->capture_default_str();
  app->footer("Example: roipca merge monday.safetensors tuesday.safetensors -o week.safetensors");
  return {app, [settings] {
            require_apart({settings->output}, settings->models);
            require_writable_model(settings->output);
            AnyModel merged = load_any(settings->models.front());
            std::visit(
                [&](auto& all) {
                  for (std::size_t i = 1; i < settings->models.size(); ++i) {
                    add_to(all, load_any(settings->models[i]), settings->models[i]);
                  }
                  write_model(all, settings->output);
                  if (settings->output == "-") return;
                  std::printf("%lld rows in %s\n", static_cast<long long>(all.rows),
                              settings->output.c_str());
                },
                merged);
          }};
}

}  // namespace roipca::cli
