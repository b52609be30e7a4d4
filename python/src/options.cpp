#include "options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "roipca/option_table.hpp"

namespace roipca::python {
namespace {

namespace nb = nanobind;

// None is the word "none", and True and False are the words of a flag.
std::optional<OptionValue> value_of(const OptionRow& row, nb::handle object) {
  if (object.is_none()) return "none";
  if (nb::isinstance<nb::bool_>(object)) {
    if (!row.is_flag()) return std::nullopt;
    return nb::cast<bool>(object) ? "true" : "false";
  }
  if (nb::isinstance<nb::str>(object)) {
    const auto word = nb::cast<std::string>(object);
    if (row.is_flag() || word == "none") return std::nullopt;
    return word;
  }
  if (std::int64_t integer = 0; nb::try_cast(object, integer)) return integer;
  if (double number = 0.0; nb::try_cast(object, number)) return number;
  return std::nullopt;
}

nb::object object_of(const OptionRow& row, const OptionValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return nb::cast(*integer);
  if (const auto* number = std::get_if<double>(&value)) return nb::cast(*number);
  const auto& word = std::get<std::string>(value);
  if (row.is_flag()) return nb::cast(word == "true");
  return word == "none" ? nb::none() : nb::cast(word);
}

bool set(Options& options, const OptionRow& row, nb::handle object) {
  const auto value = value_of(row, object);
  return value && row.set(options, *value);
}

}  // namespace

Options options_from(const nb::dict& parameters) {
  Options options;
  for (const OptionRow& row : option_table()) {
    const char* const name = row.name().c_str();
    if (!parameters.contains(name) || set(options, row, parameters[name])) continue;
    throw std::invalid_argument(row.name() + " must be " + row.accepted() + ", not " +
                                nb::repr(parameters[name]).c_str());
  }
  return options;
}

nb::dict parameters_of(const Options& options) {
  nb::dict parameters;
  for (const OptionRow& row : option_table()) {
    parameters[row.name().c_str()] = object_of(row, row.get(options));
  }
  return parameters;
}

nb::dict described_options() {
  nb::dict table;
  for (const OptionRow& row : option_table()) {
    nb::dict described;
    described["words"] = row.words();
    described["numbers"] = row.numbers() ? nb::cast(row.numbers()->text()) : nb::none();
    described["default"] = object_of(row, row.get({}));
    described["help"] = row.help();
    table[row.name().c_str()] = described;
  }
  return table;
}

bool accepts(const std::string& name, nb::handle object) {
  Options options;
  for (const OptionRow& row : option_table()) {
    if (row.name() == name) return set(options, row, object);
  }
  throw std::invalid_argument("there is no option " + name);
}

}  // namespace roipca::python
