#include "component_options.hpp"

#include <algorithm>
#include <charconv>

#include "command.hpp"
#include "readers/number.hpp"

namespace roipca::cli {
namespace {

constexpr Index kMostForFraction = 100;

std::optional<Index> to_count(const std::string& text) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> to_number(const std::string& text) {
  double value = 0.0;
  if (!is_number(text)) return std::nullopt;
  parse_number(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Index> count_or_auto(const char* option, const std::string& text) {
  if (text == "auto") return std::nullopt;
  const auto count = to_count(text);
  if (!count) throw UsageError(std::string(option) + " \"" + text + "\": auto or a number");
  return count;
}

Mu mu_from(const std::string& text) {
  if (text == "mean") return Mu::mean();
  if (text == "zero") return Mu::zero();
  const auto variance = to_number(text);
  if (!variance) throw UsageError("--mu \"" + text + "\": mean, zero or a number");
  return Mu::fixed(*variance);
}

LearningRate rate_from(const std::string& text) {
  if (text.empty()) return LearningRate::scale_free();
  if (text == "auto") return LearningRate::tuned();
  const auto c = to_number(text);
  if (!c) throw UsageError("--learning-rate \"" + text + "\": auto or a number");
  return LearningRate::fixed(*c);
}

}  // namespace

Index Components::to_hold(Index features) const {
  if (fraction) return std::min(features, kMostForFraction);
  if (number > features) {
    throw UsageError("-k is " + std::to_string(number) + ", but the rows have only " +
                     std::to_string(features) + " columns");
  }
  return number;
}

Components ComponentOptions::parsed_components() const {
  if (const auto count = to_count(components); count && *count >= 1) return {*count, std::nullopt};
  if (const auto fraction = to_number(components); fraction && *fraction > 0.0 && *fraction < 1.0) {
    return {0, fraction};
  }
  throw UsageError("-k \"" + components +
                   "\": a number of components, or a fraction of the variance such as 0.95");
}

Options ComponentOptions::options() const {
  return as_usage([&] {
    Options options;
    options.method = method_from_name(method);
    options.update_every = update_every == "row" ? UpdateEvery::kRow : UpdateEvery::kBlock;
    options.block_size = count_or_auto("--block-size", block_size);
    options.mu = mu_from(mu);
    options.tau = tau == "optimal" ? Tau::kOptimal : Tau::kZero;
    options.oversampling = count_or_auto("--oversampling", oversampling);
    options.center = !no_center;
    options.forgetting = forgetting;
    options.threads = threads;
    options.learning_rate = rate_from(learning_rate);
    check(options);
    return options;
  });
}

void add_component_options(CLI::App& app, ComponentOptions& options) {
  app.add_option("-k,--components", options.components,
                 "How many, or the fraction of variance to explain: 0.95")
      ->required();
  const char* const group = "Method";
  app.add_option("--method", options.method, "auto, roipca, froipca, ipca, ccipca, gha, oja, fd or exact")
      ->group(group)
      ->capture_default_str();
  app.add_option("--mu", options.mu, "Variance assumed outside the components: mean, zero or a number")
      ->group(group)
      ->capture_default_str();
  app.add_option("--tau", options.tau, "Of froipca")
      ->check(CLI::IsMember({"zero", "optimal"}))
      ->group(group)
      ->capture_default_str();
  app.add_option("--oversampling", options.oversampling, "Components held beyond those reported")
      ->group(group)
      ->capture_default_str();
  app.add_option("--update-every", options.update_every, "Of roipca and ipca")
      ->check(CLI::IsMember({"block", "row"}))
      ->group(group)
      ->capture_default_str();
  app.add_option("--block-size", options.block_size, "Rows in a block")->group(group)->capture_default_str();
  app.add_flag("--no-center", options.no_center, "Do not subtract the mean")->group(group);
  app.add_option("--forgetting", options.forgetting, "Factor on all before at each row, up to 1")
      ->group(group)
      ->capture_default_str();
  app.add_option("--learning-rate", options.learning_rate, "Of gha and oja: auto (tuned) or a number")
      ->group(group);
  app.add_option("--threads", options.threads, "That share the rows")->group(group)->capture_default_str();
}

template <typename T>
bool report_fraction(Model<T>& model, double fraction) {
  const Index held = model.eigenvalues.size();
  Index count = 1;
  bool reached = true;
  if (model.trace() > 0.0) {
    double sum = 0.0;
    count = 0;
    do {
      sum += model.eigenvalues[count++];
      reached = sum / model.trace() > fraction;
    } while (!reached && count < held);
  }
  model.n_components = count;
  model.options.n_components = count;
  // So that the options still ask to hold what is held.
  if (model.options.method != Method::kExact) model.options.oversampling = held - count;
  return reached || held == model.features();
}

template bool report_fraction(Model<float>&, double);
template bool report_fraction(Model<double>&, double);

}  // namespace roipca::cli
