#include "io/model_header.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/fields.hpp"
#include "roipca/errors.hpp"

// The build defines it; a build without CMake may leave it out, since nothing depends on its value.
#ifndef ROIPCA_VERSION
#define ROIPCA_VERSION "unknown"
#endif

namespace roipca::io {
namespace {

// Sorted keys for reading: the ordered kind searches its keys one by one, which a hostile header could make
// slow.
using Json = nlohmann::json;

constexpr std::size_t kLengthSize = 8;  // bytes before the header in the file
constexpr std::size_t kAlignment = 8;
constexpr std::string_view kFormatStart = R"({"__metadata__":{"format":"roipca-model","format_version":")";

std::uint64_t bytes_per_number(NumberType type) { return type == NumberType::kFloat ? 4 : 8; }

std::string dtype(NumberType type) { return type == NumberType::kFloat ? "F32" : "F64"; }

// Eigen counts with signed numbers, and so do file offsets.
constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::int64_t>::max();

std::uint64_t bytes_of(const ArrayLayout& array) {
  std::uint64_t bytes = bytes_per_number(array.type);
  for (const std::uint64_t size : array.shape) {
    if (size != 0 && bytes > kMaxBytes / size) {
      throw FileError("field \"" + std::string(array.name) + "\": its shape needs more than 2^63 bytes");
    }
    bytes *= size;
  }
  return bytes;
}

// Refuses files that only look like a model of this version before any of their content is used.
void check_start(std::string_view text) {
  if (!text.starts_with(kFormatStart)) {
    throw FileError("byte 8: not a roipca model, whose header starts with " + std::string(kFormatStart));
  }
  const std::string_view rest = text.substr(kFormatStart.size());
  const std::string version(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (version != "1" && !version.empty()) {
    throw FileError("field \"format_version\": this version of roipca reads model format 1, not " + version);
  }
  const std::size_t checksum_end = kHeaderStart.size() + kChecksumDigits;
  if (!text.starts_with(kHeaderStart) || text.size() <= checksum_end || text[checksum_end] != '"') {
    throw FileError("byte " + std::to_string(kLengthSize + kFormatStart.size()) +
                    ": format version and checksum are not in their places");
  }
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
      // Arrays are objects of arrays of numbers. Deeper nesting could overflow the stack when it is printed.
      if (depth > 3) throw FileError("the header is nested too deeply");
      return true;
    });
  } catch (const Json::parse_error& error) {
    throw FileError("byte " + std::to_string(kLengthSize + error.byte) + ": the header is not valid JSON");
  }
}

const Json& member(const Json& object, const std::string& where, const char* key) {
  if (!object.is_object()) throw FileError("field \"" + where + "\": not an object");
  const auto found = object.find(key);
  if (found == object.end()) throw FileError("field \"" + where + "\": \"" + key + "\" is missing");
  return *found;
}

Metadata read_metadata(const Json& root) {
  Metadata metadata;
  for (const auto& [key, value] : member(root, "header", "__metadata__").items()) {
    if (!value.is_string()) throw FileError("field \"" + key + "\" of the metadata: not a string");
    metadata.emplace_back(key, value.get<std::string>());
  }
  return metadata;
}

NumberType read_type(const Json& root) {
  const Json& value = member(member(root, "header", "components"), "components", "dtype");
  for (const NumberType type : {NumberType::kFloat, NumberType::kDouble}) {
    if (value == dtype(type)) return type;
  }
  throw FileError(R"(field "components": the dtype must be "F32" or "F64", not )" + value.dump());
}

std::array<std::uint64_t, 2> read_shape(const Json& root, const char* name) {
  const Json& value = member(member(root, "header", name), name, "shape");
  if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() ||
      !value[1].is_number_unsigned()) {
    throw FileError("field \"" + std::string(name) + "\": the shape must be two counts, not " + value.dump());
  }
  return {value[0].get<std::uint64_t>(), value[1].get<std::uint64_t>()};
}

Json describe(const ArrayLayout& array, std::uint64_t begin, std::uint64_t end) {
  return {{"dtype", dtype(array.type)}, {"shape", Json(array.shape)}, {"data_offsets", {begin, end}}};
}

std::vector<std::pair<std::string, Json>> describe_arrays(const ModelHeader& header) {
  std::vector<std::pair<std::string, Json>> descriptions;
  std::uint64_t begin = 0;
  for (const ArrayLayout& array : header.arrays()) {
    const std::uint64_t end = begin + bytes_of(array);
    descriptions.emplace_back(array.name, describe(array, begin, end));
    begin = end;
  }
  return descriptions;
}

[[noreturn]] void refuse_array(const std::string& name, const std::string& key, const Json& expected,
                               const Json& found) {
  throw FileError("field \"" + name + "\": its " + key + " must be " + expected.dump() +
                  " to match the components, not " + found.dump());
}

// The shape and type of the components determine the rest, so all of it is compared with the expected values.
void check_arrays(const Json& root, const ModelHeader& header) {
  const auto expected = describe_arrays(header);
  for (const auto& [name, description] : expected) {
    const Json& found = member(root, "header", name.c_str());
    for (const auto& [key, value] : description.items()) {
      const Json& entry = member(found, name, key.c_str());
      if (entry != value) refuse_array(name, key, value, entry);
    }
  }
  const auto is_known = [&](const std::string& name) {
    return name == "__metadata__" || std::any_of(expected.begin(), expected.end(),
                                                 [&](const auto& array) { return array.first == name; });
  };
  for (const auto& [name, description] : root.items()) {
    if (!is_known(name)) throw FileError("field \"" + name + "\": model format 1 has no such array");
  }
}

}  // namespace

bool ModelHeader::has(const ArrayField& field) const {
  return !field.is_optional ||
         std::find(optional_arrays.begin(), optional_arrays.end(), field.name) != optional_arrays.end();
}

std::vector<ArrayLayout> ModelHeader::arrays() const {
  std::vector<ArrayLayout> layouts;
  visit_arrays([&](const ArrayField& field) {
    if (!has(field)) return;
    switch (field.extent) {
      case Extent::kFeatures:
        layouts.push_back({field.name, NumberType::kDouble, {features}});
        break;
      case Extent::kHeld:
        layouts.push_back({field.name, NumberType::kDouble, {held}});
        break;
      case Extent::kProbesByFeatures:
        layouts.push_back({field.name, NumberType::kDouble, {probes, features}});
        break;
      case Extent::kHeldByFeatures:
        layouts.push_back({field.name, type, {held, features}});
        break;
    }
  });
  return layouts;
}

std::uint64_t ModelHeader::data_size() const {
  std::uint64_t size = 0;
  for (const ArrayLayout& array : arrays()) {
    const std::uint64_t bytes = bytes_of(array);
    if (bytes > kMaxBytes - size) throw FileError("the arrays need more than 2^63 bytes");
    size += bytes;
  }
  return size;
}

std::string write_header(const ModelHeader& header) {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson metadata = {{"format", "roipca-model"},
                          {"format_version", "1"},
                          {"checksum", std::string(kChecksumDigits, '0')},
                          {"library_version", ROIPCA_VERSION}};
  for (const auto& [key, value] : header.metadata) metadata[key] = value;
  OrderedJson root = {{"__metadata__", metadata}};
  for (const auto& [name, description] : describe_arrays(header)) root[name] = description;
  std::string text = root.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

ModelHeader read_header(std::string_view text) {
  check_start(text);
  const Json root = parse_json(text);
  ModelHeader header;
  header.type = read_type(root);
  const auto shape = read_shape(root, "components");
  header.held = shape[0];
  header.features = shape[1];
  visit_arrays([&](const ArrayField& field) {
    if (!field.is_optional || !root.contains(field.name)) return;
    header.optional_arrays.emplace_back(field.name);
    if (field.extent == Extent::kProbesByFeatures) header.probes = read_shape(root, field.name.data())[0];
  });
  header.data_size();  // throws before the offsets below could overflow
  check_arrays(root, header);
  header.metadata = read_metadata(root);
  return header;
}

}  // namespace roipca::io
