#include "model_facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <numeric>
#include <type_traits>

#include "passes.hpp"
#include "roipca/accuracy.hpp"
#include "shares.hpp"

namespace roipca::cli {
namespace {

std::string formatted(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string mu_text(const Mu& mu) {
  if (mu.kind == Mu::Kind::kFixed) return formatted(mu.variance);
  return mu.kind == Mu::Kind::kMean ? "mean" : "zero";
}

// Describes how far the scales were off, by ratios of standard deviations to scales.
std::string standardized_text(const std::vector<double>& ratio) {
  if (ratio.empty()) return "no";
  const auto [least, most] = std::minmax_element(ratio.begin(), ratio.end());
  return "yes; standard deviations are " + formatted(*least) + " to " + formatted(*most) +
         " times the scales";
}

std::string bytes_text(double bytes) {
  for (const char* unit : {"bytes", "kB", "MB"}) {
    if (bytes < 1000.0) return formatted(bytes) + " " + unit;
    bytes /= 1000.0;
  }
  return formatted(bytes) + " GB";
}

// Turns "Gavish-Donoho" into "gavish_donoho".
std::string key_of(std::string rule) {
  for (char& c : rule) {
    c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return rule;
}

template <typename T>
std::string window_text(const Model<T>& model) {
  if (!model.options.window) return "none";
  return std::to_string(*model.options.window) + ", covers rows " + std::to_string(model.rows_before) +
         " to " + std::to_string(model.rows_before + model.rows - 1);
}

template <typename T>
std::string missing_text(const Model<T>& model) {
  if (model.options.missing == Missing::kError) return "refused";
  if (model.feature_weight.empty()) return "imputed; none so far";
  double there = 0.0;
  for (const double weight : model.feature_weight) there += weight;
  const double all = model.weight * static_cast<double>(model.features());
  return "imputed; " + formatted(100.0 * std::max(0.0, 1.0 - there / all)) + " % of the values; left out " +
         std::to_string(model.empty_rows) + " rows without values";
}

template <typename T>
Index bytes_of(const Model<T>& model) {
  const Index doubles = (model.scale.empty() ? 3 : 4) * model.features() +
                        static_cast<Index>(model.eigenvalues.size() + model.probe_products.size());
  return doubles * static_cast<Index>(sizeof(double)) + model.basis.size() * static_cast<Index>(sizeof(T));
}

template <typename T>
std::string noise_text(const Model<T>& model) {
  const Index others = model.features() - model.n_components;
  const std::string value = formatted(model.noise_variance());
  if (others == 0) return value + ": there are no other directions";
  if (others == 1) return value + ": variance along the other direction";
  return value + ": mean variance along the other " + std::to_string(others) + " directions";
}

template <typename T>
ModelFacts facts(const Model<T>& model) {
  const Options& options = model.options;
  const std::string type = std::is_same_v<T, float> ? "float32" : "float64";
  const std::string method(name(model.resolved.method));
  const std::string update_every = options.update_every == UpdateEvery::kBlock ? "block" : "row";
  const Index held = model.basis.rows();
  const Index bytes = bytes_of(model);
  ModelFacts result;
  result.rows = model.rows;
  result.variance = model.explained_variance();
  result.ratio = model.explained_variance_ratio();
  result.noise_variance = model.noise_variance();
  const OwnedRows<T> components = model.components();
  result.components.resize(components.rows(), components.cols());
  std::copy_n(components.data(), components.size(), result.components.data());
  result.names = model.feature_names;
  result.counts = suggest_components(model);
  result.settings = {
      {"rows", std::to_string(model.rows)},
      {"features", std::to_string(model.features())},
      {"components",
       std::to_string(model.n_components) + " reported, " + std::to_string(held) + " held, " + type},
      {"explained",
       share_text(std::accumulate(result.ratio.begin(), result.ratio.end(), 0.0), 6) + " of the variance"},
      {"noise", noise_text(model)},
      {"centred", options.center ? "yes" : "no"},
      {"standardized", standardized_text(model.scale_ratio())},
      {"missing", missing_text(model)},
      {"forgetting", formatted(options.forgetting)},
      {"window", window_text(model)},
      {"changes", change_text(model.change)},
      {"memory", bytes_text(static_cast<double>(bytes))},
  };
  const auto after_noise = result.settings.begin() + 5;
  if (model.resolved.method == Method::kExact) {
    result.settings.insert(after_noise, {"method", method});
  } else {
    const std::string tau = options.tau == Tau::kZero ? "zero" : "optimal";
    result.settings.insert(after_noise, {{"method", method + ", update by " + update_every},
                                         {"mu, tau", mu_text(options.mu) + ", " + tau}});
  }
  if (const auto error = error_text(model)) {
    result.error_estimate = error_estimate(model);
    result.error_bound = error_bound(model);
    const std::string passes = std::to_string(model.passes) + (model.passes == 1 ? " pass" : " passes");
    result.settings.insert(result.settings.begin() + 4, {"error", *error + ", after " + passes});
  }
  JsonObject& json = result.json;
  json.add("rows", model.rows);
  json.add("weight", model.weight);
  json.add("features", model.features());
  json.add("components", model.n_components);
  json.add("held", held);
  json.add("dtype", type);
  json.add("method", method);
  json.add("update_every", update_every);
  json.add("mu", mu_text(options.mu));
  json.add("tau", options.tau == Tau::kZero ? "zero" : "optimal");
  json.add("center", options.center);
  json.add("standardize", options.standardize);
  json.add("missing", options.missing == Missing::kImpute ? "impute" : "error");
  json.add("empty_rows", model.empty_rows);
  json.add("forgetting", options.forgetting);
  json.add("rows_before", model.rows_before);
  json.add("changes", model.change.count);
  if (model.change.count > 0) json.add("change_row", model.change.row);
  if (model.change.rows > 0) json.add("change_score", model.change.score);
  if (options.window) json.add("window", *options.window);
  json.add("threads", options.threads);
  json.add("probes", options.probes);
  json.add("bytes", bytes);
  json.add("explained_variance", result.variance);
  json.add("explained_variance_ratio", result.ratio);
  json.add("noise_variance", result.noise_variance);
  JsonObject suggested;
  for (const auto& [rule, count] : result.counts.rules()) {
    if (count) suggested.add(key_of(rule), *count);
  }
  suggested.add("consensus", result.counts.consensus);
  suggested.add("noise_variance", result.counts.noise_variance);
  suggested.add("cautions", result.counts.cautions);
  json.add("suggested_components", suggested);
  if (!model.scale.empty()) {
    json.add("scale", model.scale);
    json.add("scale_ratio", model.scale_ratio());
  }
  json.add("passes", model.passes);
  if (result.error_estimate) {
    json.add("error_estimate", *result.error_estimate);
    json.add("error_bound", *result.error_bound);
    json.add("component_errors", component_errors(model));
    const std::vector<Index> groups = component_groups(model);
    json.add("component_groups", std::vector<double>(groups.begin(), groups.end()));
  }
  if (!result.names.empty()) json.add("feature_names", result.names);
  return result;
}

}  // namespace

std::string change_text(const Change& change) {
  if (change.rows == 0) return "unknown: no rows were compared with earlier ones";
  const std::string score = "; the score is " + formatted(change.score) + " (a change from 1 on)";
  if (change.count == 0) return "none" + score;
  return std::to_string(change.count) + ", the latest began at about row " + std::to_string(change.row) +
         score;
}

ModelFacts facts_of(const AnyModel& model) {
  return std::visit([](const auto& m) { return facts(m); }, model);
}

std::vector<std::pair<std::string, std::string>> counts_text(const ComponentCounts& counts) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [rule, count] : counts.rules()) {
    lines.emplace_back(rule, count ? std::to_string(*count) : "not defined");
  }
  lines.emplace_back("consensus", std::to_string(counts.consensus));
  return lines;
}

}  // namespace roipca::cli
