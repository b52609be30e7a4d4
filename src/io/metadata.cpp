#include "io/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/fields.hpp"
#include "roipca/errors.hpp"
#include "roipca/option_table.hpp"

namespace roipca::io {
namespace {

constexpr std::string_view kOption = "option.";  // before the name of an option

template <typename Number>
std::string to_text(Number number) {
  std::array<char, 32> buffer{};  // the longest double, -2.2250738585072014e-308, takes 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

// Throws FileError for text that is not UTF-8: here, before anything is written.
template <typename Text>
std::string to_json(const Text& text, std::string_view name) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw FileError("field \"" + std::string(name) + "\" of the metadata: not UTF-8");
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

  std::int64_t integer() const { return number<std::int64_t>("a 64-bit integer"); }

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

// Finite numbers with single spaces between them.
std::vector<double> to_numbers(const Field& field) {
  std::vector<double> numbers;
  const std::string& text = field.text();
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    double number = 0.0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || !std::isfinite(number) || (stop != end && *stop != ' ')) {
      field.refuse("numbers separated by spaces");
    }
    numbers.push_back(number);
    at = stop == end ? end : stop + 1;
  }
  return numbers;
}

std::vector<Index> to_integers(const Field& field) {
  const auto list = nlohmann::json::parse(field.text(), nullptr, /*allow_exceptions=*/false);
  const auto is_integer = [](const nlohmann::json& entry) { return entry.is_number_integer(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_integer)) {
    field.refuse("a JSON array of integers");
  }
  return list.get<std::vector<Index>>();
}

Method to_method(const Field& field) {
  try {
    return method_from_name(field.text());
  } catch (const std::invalid_argument&) {
    field.refuse("the name of a method of this version");
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

std::string value_text(std::string_view, std::int64_t number) { return to_text(number); }
std::string value_text(std::string_view, Method method) { return std::string(name(method)); }
std::string value_text(std::string_view, double number) { return to_text(number); }
std::string value_text(std::string_view name, const std::vector<std::string>& list) {
  return to_json(list, name);
}
std::string value_text(std::string_view, const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : " ") + to_text(number);
  return text;
}
std::string value_text(std::string_view, const std::vector<Index>& list) {
  return nlohmann::json(list).dump();
}
std::string value_text(std::string_view name, const std::string& text) {
  to_json(text, name);
  return text;
}

void read_value(const Field& field, std::int64_t& number) { number = field.integer(); }
void read_value(const Field& field, Method& method) { method = to_method(field); }
void read_value(const Field& field, double& number) { number = field.real(); }
void read_value(const Field& field, std::vector<std::string>& list) { list = to_names(field); }
void read_value(const Field& field, std::vector<double>& numbers) { numbers = to_numbers(field); }
void read_value(const Field& field, std::vector<Index>& list) { list = to_integers(field); }
void read_value(const Field& field, std::string& text) { text = field.text(); }

}  // namespace

template <typename T>
Metadata to_metadata(const Model<T>& model) {
  Metadata metadata = option_fields(model.options);
  const Model<T> plain;
  visit_values(
      [&](const ValueField& field, const auto& value, const auto& by_default) {
        if (field.is_optional && value == by_default) return;
        metadata.emplace_back(field.name, value_text(field.name, value));
      },
      model, plain);
  return metadata;
}

template <typename T>
void read_metadata(const Metadata& metadata, Model<T>& model) {
  model.options = to_options(metadata);
  visit_values(
      [&](const ValueField& field, auto& value) {
        if (!field.is_optional || has_field(metadata, field.name)) {
          read_value(Field(metadata, field.name), value);
        }
      },
      model);
}

template Metadata to_metadata(const Model<float>&);
template Metadata to_metadata(const Model<double>&);
template void read_metadata(const Metadata&, Model<float>&);
template void read_metadata(const Metadata&, Model<double>&);

}  // namespace roipca::io
