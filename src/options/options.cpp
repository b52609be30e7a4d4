#include "roipca/options.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "options/resolved.hpp"
#include "roipca/option_table.hpp"

namespace roipca {
namespace {

const OptionRow& method_row() {
  const auto& table = option_table();
  return *std::find_if(table.begin(), table.end(),
                       [](const OptionRow& row) { return row.name() == "method"; });
}

}  // namespace

std::string_view name(Method method) {
  const OptionRow& row = method_row();
  return *std::find(row.words().begin(), row.words().end(), row.to_text({.method = method}));
}

Method method_from_name(std::string_view name) {
  Options options;
  if (method_row().from_text(options, name)) return options.method;
  throw std::invalid_argument("method must be " + method_row().accepted() + ", not \"" + std::string(name) +
                              "\"");
}

void check(const Options& options) {
  for (const OptionRow& row : option_table()) row.check(options);
  const Method method = options.method;
  const bool by_blocks = options.update_every == UpdateEvery::kBlock &&
                         (method == Method::kAuto || method == Method::kRoipca || method == Method::kIpca);
  const bool imputes = options.missing == Missing::kImpute;
  if (imputes && !by_blocks && method != Method::kExact) {
    throw std::invalid_argument(
        "missing \"impute\" needs updates by blocks (method auto, roipca or ipca, update_every block) or "
        "method "
        "exact");
  }
  if (imputes && options.probes > 0) {
    throw std::invalid_argument(
        "missing \"impute\" does not work with probes: without the missing values, there is "
        "no batch PCA to compare with");
  }
  if (!options.window) return;
  if (options.forgetting != 1.0) throw std::invalid_argument("window and forgetting exclude each other");
  if (!by_blocks && method != Method::kExact) {
    throw std::invalid_argument(
        "window needs updates by blocks (method auto, roipca or ipca, update_every block) or method exact");
  }
}

Options with_choices(Options options, const Resolved& resolved) {
  if (resolved.method != Method::kAuto) options.method = resolved.method;
  if (options.learning_rate.kind == LearningRate::Kind::kTuned) {
    const double c = resolved.learning_rate;
    options.learning_rate = c > 0.0 ? LearningRate::fixed(c) : LearningRate::scale_free();
  }
  return options;
}

}  // namespace roipca
