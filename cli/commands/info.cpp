#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "model_facts.hpp"
#include "model_input.hpp"

namespace roipca::cli {
namespace {

struct InfoSettings {
  std::string model;
  bool json = false;
};

void print_text(const ModelFacts& facts) {
  for (const auto& [label, value] : facts.settings) std::printf("%-12s %s\n", label.c_str(), value.c_str());
  constexpr double kBarWidth = 40.0;
  const double largest = facts.ratio.empty() ? 0.0 : *std::ranges::max_element(facts.ratio);
  double total = 0.0;
  std::printf("\n%5s %12s %8s %8s\n", "", "variance", "part", "sum");
  for (std::size_t i = 0; i < facts.ratio.size(); ++i) {
    total += facts.ratio[i];
    const auto bar = largest > 0.0 ? std::lround(kBarWidth * facts.ratio[i] / largest) : 0L;
    std::printf("%5zu %12.5g %8.4f %8.4f  %s\n", i + 1, facts.variance[i], facts.ratio[i], total,
                std::string(static_cast<std::size_t>(bar), '#').c_str());
  }
}

void print_json(const ModelFacts& facts) {
  nlohmann::ordered_json json;
  for (const auto& [label, value] : facts.json) json[label] = value;
  json["explained_variance"] = facts.variance;
  json["explained_variance_ratio"] = facts.ratio;
  json["noise_variance"] = facts.noise_variance;
  if (!facts.names.empty()) json["feature_names"] = facts.names;
  std::printf("%s\n", json.dump(2).c_str());
}

}  // namespace

Command add_info(CLI::App& program) {
  auto* app = program.add_subcommand("info", "What is in a model");
  auto settings = std::make_shared<InfoSettings>();
  app->add_option("MODEL", settings->model, "A file that roipca fit wrote")->required();
  app->add_flag("--json", settings->json, "For machines");
  app->footer("Example: roipca info model.safetensors");
  return {app, [settings] {
            const ModelFacts facts = facts_of(load_any(settings->model));
            settings->json ? print_json(facts) : print_text(facts);
          }};
}

}  // namespace roipca::cli
