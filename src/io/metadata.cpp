#include "io/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "roipca/errors.hpp"
#include "roipca/option_table.hpp"

namespace roipca::io {
namespace {

constexpr std::string_view kOption = "option.";              // before the name of an option
constexpr std::string_view kFeatureNames = "feature_names";  // optional
constexpr std::string_view kParameters = "parameters";       // optional

template <typename Number>
std::string to_text(Number number) {
  std::array<char, 32> buffer{};  // the longest double, -2.2250738585072014e-308, takes 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
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

  const std::string& text() const { return text_; }

  std::int64_t integer() const { return number<std::int64_t>("an integer of 64 bits"); }

  double real() const {
    const auto value = number<double>("a finite number");
    if (!std::isfinite(value)) refuse("a finite number");
    return value;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw FileError("field \"" + name_ + "\" of the metadata: expected " + expected + ", found \"" + text_ +
                    "\"");
  }

 private:
  template <typename Number>
  Number number(const char* expected) const {
    Number value{};
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, value);
    if (error != std::errc() || stop != end) refuse(expected);
    return value;
  }

  std::string name_;
  std::string text_;
};

std::vector<std::string> to_names(const Field& field) {
  const auto list = nlohmann::json::parse(field.text(), nullptr, /*allow_exceptions=*/false);
  const auto is_string = [](const nlohmann::json& entry) { return entry.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_string)) {
    field.refuse("a JSON array of strings");
  }
  return list.get<std::vector<std::string>>();
}

Method to_method(const Field& field) {
  try {
    return method_from_name(field.text());
  } catch (const std::invalid_argument&) {
    field.refuse("the name of a method that this version knows");
  }
}

Metadata option_fields(const Options& options) {
  Metadata fields;
  for (const OptionRow& row : option_table()) {
    fields.emplace_back(std::string(kOption) + row.name(), row.to_text(options));
  }
  return fields;
}

// An option that is missing was added after the file was written, and has its default.
Options to_options(const Metadata& metadata) {
  Options options;
  for (const OptionRow& row : option_table()) {
    const std::string name = std::string(kOption) + row.name();
    if (!has_field(metadata, name)) continue;
    const Field field(metadata, name);
    if (!row.from_text(options, field.text())) field.refuse(row.accepted());
  }
  return options;
}

}  // namespace

Metadata to_metadata(const Settings& settings) {
  Metadata metadata = option_fields(settings.options);
  const Metadata own = {
      {"resolved.method", std::string(name(settings.resolved.method))},
      {"resolved.learning_rate", to_text(settings.resolved.learning_rate)},
      {"n_components", to_text(settings.n_components)},
      {"rows", to_text(settings.rows)},
      {"weight", to_text(settings.weight)},
      {"weight_pairs", to_text(settings.weight_pairs)},
      {"scatter_trace", to_text(settings.scatter_trace)},
  };
  metadata.insert(metadata.end(), own.begin(), own.end());
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
  settings.options = to_options(metadata);
  settings.resolved = {to_method(field("resolved.method")), field("resolved.learning_rate").real()};
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
