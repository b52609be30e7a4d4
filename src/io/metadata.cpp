#include "io/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "roipca/errors.hpp"

namespace roipca::io {
namespace {

// The words stand for choices and never read as numbers, so one string holds either.
constexpr std::string_view kMean = "mean";
constexpr std::string_view kZero = "zero";
constexpr std::string_view kOptimal = "optimal";
constexpr std::string_view kBlock = "block";
constexpr std::string_view kRow = "row";
constexpr std::string_view kScaleFree = "scale_free";
constexpr std::string_view kTuned = "tuned";        // not yet
constexpr std::string_view kTunedTo = "tuned to ";  // and the number found
constexpr std::string_view kAuto = "auto";
constexpr std::string_view kTrue = "true";
constexpr std::string_view kFalse = "false";

constexpr std::string_view kFeatureNames = "feature_names";  // optional
constexpr std::string_view kParameters = "parameters";       // optional

template <typename Number>
std::string to_text(Number number) {
  std::array<char, 32> buffer{};  // the longest double, -2.2250738585072014e-308, takes 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

std::string to_text(const Mu& mu) {
  switch (mu.kind) {
    case Mu::Kind::kMean:
      return std::string(kMean);
    case Mu::Kind::kZero:
      return std::string(kZero);
    case Mu::Kind::kFixed:
      return to_text(mu.variance);
  }
  throw std::invalid_argument("mu: no such enumerator");
}

std::string to_text(Tau tau) {
  switch (tau) {
    case Tau::kZero:
      return std::string(kZero);
    case Tau::kOptimal:
      return std::string(kOptimal);
  }
  throw std::invalid_argument("tau: no such enumerator");
}

std::string to_text(const std::optional<Index>& count) {
  return count ? to_text(*count) : std::string(kAuto);
}

std::string to_text(const LearningRate& rate) {
  switch (rate.kind) {
    case LearningRate::Kind::kScaleFree:
      return std::string(kScaleFree);
    case LearningRate::Kind::kTuned:
      return rate.c == 0.0 ? std::string(kTuned) : std::string(kTunedTo) + to_text(rate.c);
    case LearningRate::Kind::kFixed:
      return to_text(rate.c);
  }
  throw std::invalid_argument("learning_rate: no such enumerator");
}

template <typename Text>
std::string to_json(const Text& text, const char* what) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw FileError(std::string("the ") + what + " are not UTF-8");
  }
}

bool has_field(const Metadata& metadata, std::string_view name) {
  return std::any_of(metadata.begin(), metadata.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

// One field, and the ways to read it.
class Field {
 public:
  Field(const Metadata& metadata, std::string_view name) : name_(name) {
    const auto found = std::find_if(metadata.begin(), metadata.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == metadata.end()) throw FileError("field \"" + name_ + "\" of the metadata is missing");
    text_ = found->second;
  }

  bool is(std::string_view word) const { return text_ == word; }
  bool begins_with(std::string_view word) const { return text_.starts_with(word); }

  const std::string& text() const { return text_; }

  std::int64_t integer() const { return number<std::int64_t>("an integer of 64 bits", 0); }

  /// The number behind the first `skip` characters.
  double real(std::size_t skip = 0) const {
    const auto value = number<double>("a finite number", skip);
    if (!std::isfinite(value)) refuse("a finite number");
    return value;
  }

  bool boolean() const {
    if (!is(kTrue) && !is(kFalse)) refuse("true or false");
    return is(kTrue);
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw FileError("field \"" + name_ + "\" of the metadata: expected " + expected + ", found \"" + text_ +
                    "\"");
  }

 private:
  template <typename Number>
  Number number(const char* expected, std::size_t skip) const {
    Number value{};
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + skip, end, value);
    if (error != std::errc() || stop != end) refuse(expected);
    return value;
  }

  std::string name_;
  std::string text_;
};

Method to_method(const Field& field) {
  try {
    return method_from_name(field.text());
  } catch (const std::invalid_argument&) {
    field.refuse("the name of a method that this version knows");
  }
}

Mu to_mu(const Field& field) {
  if (field.is(kMean)) return Mu::mean();
  if (field.is(kZero)) return Mu::zero();
  return Mu::fixed(field.real());
}

Tau to_tau(const Field& field) {
  if (field.is(kZero)) return Tau::kZero;
  if (field.is(kOptimal)) return Tau::kOptimal;
  field.refuse("zero or optimal");
}

LearningRate to_learning_rate(const Field& field) {
  if (field.is(kScaleFree)) return LearningRate::scale_free();
  if (field.is(kTuned)) return LearningRate::tuned();
  if (field.begins_with(kTunedTo)) return {LearningRate::Kind::kTuned, field.real(kTunedTo.size())};
  return LearningRate::fixed(field.real());
}

UpdateEvery to_update_every(const Field& field) {
  if (field.is(kBlock)) return UpdateEvery::kBlock;
  if (field.is(kRow)) return UpdateEvery::kRow;
  field.refuse("block or row");
}

std::vector<std::string> to_names(const Field& field) {
  const auto list = nlohmann::json::parse(field.text(), nullptr, /*allow_exceptions=*/false);
  const auto is_string = [](const nlohmann::json& entry) { return entry.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_string)) {
    field.refuse("a JSON array of strings");
  }
  return list.get<std::vector<std::string>>();
}

std::optional<Index> to_count(const Field& field) {
  if (field.is(kAuto)) return std::nullopt;
  return field.integer();
}

}  // namespace

Metadata to_metadata(const Settings& settings) {
  const Options& options = settings.options;
  Metadata metadata = {
      {"method", std::string(name(options.method))},
      {"n_components_option", to_text(options.n_components)},
      {"update_every", std::string(options.update_every == UpdateEvery::kBlock ? kBlock : kRow)},
      {"block_size", to_text(options.block_size)},
      {"mu", to_text(options.mu)},
      {"tau", to_text(options.tau)},
      {"oversampling", to_text(options.oversampling)},
      {"center", std::string(options.center ? kTrue : kFalse)},
      {"forgetting", to_text(options.forgetting)},
      {"threads", to_text(options.threads)},
      {"learning_rate", to_text(options.learning_rate)},
      {"amnesia", to_text(options.amnesia)},
      {"n_components", to_text(settings.n_components)},
      {"rows", to_text(settings.rows)},
      {"weight", to_text(settings.weight)},
      {"weight_pairs", to_text(settings.weight_pairs)},
      {"scatter_trace", to_text(settings.scatter_trace)},
  };
  if (!settings.feature_names.empty()) {
    metadata.emplace_back(kFeatureNames, to_json(settings.feature_names, "feature names"));
  }
  if (!settings.parameters.empty()) {
    to_json(settings.parameters, "parameters");  // throws here what would otherwise fail when all is written
    metadata.emplace_back(kParameters, settings.parameters);
  }
  return metadata;
}

Settings to_settings(const Metadata& metadata) {
  const auto field = [&](std::string_view name) { return Field(metadata, name); };
  Settings settings;
  settings.options = {.n_components = field("n_components_option").integer(),
                      .method = to_method(field("method")),
                      .update_every = to_update_every(field("update_every")),
                      .block_size = to_count(field("block_size")),
                      .mu = to_mu(field("mu")),
                      .tau = to_tau(field("tau")),
                      .oversampling = to_count(field("oversampling")),
                      .center = field("center").boolean(),
                      .forgetting = field("forgetting").real(),
                      .threads = field("threads").integer(),
                      .learning_rate = to_learning_rate(field("learning_rate")),
                      .amnesia = field("amnesia").real()};
  settings.n_components = field("n_components").integer();
  settings.rows = field("rows").integer();
  settings.weight = field("weight").real();
  settings.weight_pairs = field("weight_pairs").real();
  settings.scatter_trace = field("scatter_trace").real();
  if (has_field(metadata, kFeatureNames)) settings.feature_names = to_names(field(kFeatureNames));
  if (has_field(metadata, kParameters)) settings.parameters = field(kParameters).text();
  return settings;
}

}  // namespace roipca::io
