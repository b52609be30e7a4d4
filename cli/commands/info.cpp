#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "arguments.hpp"
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
  std::printf("\nHow many components the rows support:\n");
  for (const auto& [rule, count] : counts_text(facts.counts)) {
    std::printf("%-17s %s\n", rule.c_str(), count.c_str());
  }
  for (const std::string& caution : facts.counts.cautions) std::printf("%s\n", caution.c_str());
}

}  // namespace

Command add_info(CLI::App& program) {
  auto settings = std::make_shared<InfoSettings>();
  Arguments arguments(program, "info", "Show the settings and the spectrum of a model",
                      "roipca info model.safetensors");
  arguments.add_argument("MODEL", settings->model, "Model file, as written by roipca fit, or a checkpoint");
  arguments.add_flag("--json", settings->json, "Print JSON");
  return arguments.command([settings] {
    const ModelFacts facts = facts_of(load_model(settings->model));
    if (settings->json) {
      facts.json.print(stdout, JsonObject::Layout::kManyLines);
    } else {
      print_text(facts);
    }
  });
}

}  // namespace roipca::cli
