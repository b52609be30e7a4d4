#include "roipca/merge.hpp"

#include <cstdio>
#include <memory>

#include "arguments.hpp"
#include "model_input.hpp"
#include "model_output.hpp"
#include "notes.hpp"
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
  auto settings = std::make_shared<MergeSettings>();
  Arguments arguments(program, "merge", "Merge models of different rows into one model of all rows",
                      "roipca merge monday.safetensors tuesday.safetensors -o both.safetensors");
  arguments.add_arguments("MODEL", settings->models,
                          "Two or more model files with the same features and components", 2);
  arguments.add("-o,--output", settings->output, "Write the model to this file, or - for standard output");
  arguments.add_quiet();
  return arguments.command([settings] {
    require_apart({settings->output}, settings->models);
    require_writable_model(settings->output);
    const auto merge_like = [&]<typename T>(const Model<T>&) {
      MergeTree<T> tree;
      for (const std::string& path : settings->models) add_to(tree, load_any(path), path);
      const Model<T> all = *tree.result();
      write_model(all, settings->output);
      if (settings->output == "-" || is_quiet()) return;
      std::printf("%lld rows in %s\n", static_cast<long long>(all.rows), settings->output.c_str());
    };
    std::visit(merge_like, load_any(settings->models.front()));
  });
}

}  // namespace roipca::cli
