#include "feature_names.hpp"

#include "notes.hpp"

namespace roipca::cli {

std::vector<std::string> storable(std::vector<std::string> names) {
  constexpr std::size_t kMost = 1000000;  // a model's header has 1 MiB in all
  for (std::string& name : names) name = as_utf8(name);
  // The names are a JSON string inside JSON, so quotes are escaped twice.
  if (size_as_nested_json(names) <= kMost) return names;
  note("the column names are too long for a model and are left out of it");
  return {};
}

std::vector<std::string> column_names(std::vector<std::string> names, std::size_t columns) {
  for (std::size_t i = names.size(); i < columns; ++i) names.push_back("x" + std::to_string(i + 1));
  return names;
}

std::vector<std::string> component_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back("pc" + std::to_string(i));
  return names;
}

}  // namespace roipca::cli
