#include "roipca/merge.hpp"

#include <cstdio>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "model_input.hpp"
#include "model_output.hpp"
#include "notes.hpp"
#include "output_paths.hpp"
#include "readers/number.hpp"

namespace roipca::cli {
namespace {

struct MergeSettings {
  std::vector<std::string> models;
  std::string decay;
  std::string output = "model.safetensors";
};

template <typename T>
void add_to(MergeTree<T>& tree, AnyModel next, const std::string& path) {
  auto* const model = std::get_if<Model<T>>(&next);
  if (model == nullptr) throw FileError(path + ": cannot merge a float32 model with a float64 one");
  try {
    tree.add(std::move(*model));
  } catch (const std::invalid_argument& error) {
    throw FileError(path + ": " + error.what());
  }
}

std::optional<double> decay_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double decay = 0.0;
  if (is_number(text)) parse_number(text.data(), text.data() + text.size(), decay);
  if (!(decay > 0.0 && decay <= 1.0)) {
    throw UsageError("--decay \"" + text + "\": must be a number above 0 and at most 1");
  }
  return decay;
}

}  // namespace

Command add_merge(CLI::App& program) {
  auto settings = std::make_shared<MergeSettings>();
  Arguments arguments(program, "merge", "Merge models of different rows into one model of all rows",
                      "roipca merge monday.safetensors tuesday.safetensors -o both.safetensors");
  arguments.add_arguments("MODEL", settings->models,
                          "Two or more model files with the same features and components", 2);
  arguments.add(
      "--decay", settings->decay,
      "Multiply the weight of all rows in the models before by this factor, in (0, 1], at each model "
      "after the first. Models with forgetting need it");
  arguments.add("-o,--output", settings->output, "Write the model to this file, or - for standard output");
  arguments.add_quiet();
  return arguments.command([settings] {
    const std::optional<double> decay = decay_of(settings->decay);
    require_apart({settings->output}, settings->models);
    require_writable_model(settings->output);
    const auto merge_like = [&]<typename T>(const Model<T>&) {
      MergeTree<T> tree(decay);
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
