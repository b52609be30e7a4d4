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
void add_to(MergeTree<T>& tree, AnyModel next, const std::string& path) {
  auto* const model = std::get_if<Model<T>>(&next);
  if (model == nullptr) throw FileError(path + ": a float32 and a float64 model cannot be merged");
  try {
    tree.add(std::move(*model));
  } catch (const std::invalid_argument& error) {
    throw FileError(path + ": " + error.what());
  }
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
            const auto merge_like = [&]<typename T>(const Model<T>&) {
              MergeTree<T> tree;
              for (const std::string& path : settings->models) add_to(tree, load_any(path), path);
              const Model<T> all = *tree.result();
              write_model(all, settings->output);
              if (settings->output == "-") return;
              std::printf("%lld rows in %s\n", static_cast<long long>(all.rows), settings->output.c_str());
            };
            std::visit(merge_like, load_any(settings->models.front()));
          }};
}

}  // namespace roipca::cli
