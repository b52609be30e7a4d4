#include "readers/name_difference.hpp"

#include <algorithm>
#include <unordered_set>

namespace roipca::cli {
namespace {

bool are_permuted(std::vector<std::string> names, std::vector<std::string> others) {
  std::ranges::sort(names);
  std::ranges::sort(others);
  return names == others;
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

// Returns the first name that is not among the others, or null.
const std::string* first_beyond(const std::vector<std::string>& names,
                                const std::vector<std::string>& others) {
  const std::unordered_set<std::string> known(others.begin(), others.end());
  const auto found = std::ranges::find_if(names, [&](const auto& name) { return !known.contains(name); });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace

std::string difference_of_names(const std::vector<std::string>& names,
                                const std::vector<std::string>& known) {
  if (names.empty() || known.empty() || names == known) return {};
  const auto [name, other] = std::ranges::mismatch(names, known);
  if (name == names.end()) return "feature " + quoted(*other) + " is missing";
  if (other == known.end()) return "there is one feature more: " + quoted(*name);
  const std::string place = "feature " + std::to_string(name - names.begin() + 1) + " is " + quoted(*name) +
                            " instead of " + quoted(*other);
  return (are_permuted(names, known) ? "only the order differs: " : "") + place;
}

std::string difference_from_model(const std::vector<std::string>& names,
                                  const std::vector<std::string>& known) {
  if (names.empty() || known.empty()) return {};
  if (const std::string* name = first_beyond(names, known)) {
    const bool are_more = names.size() > known.size();
    return "it has no feature " + quoted(*name) +
           (are_more ? " (leave columns out with --id or --exclude)" : "");
  }
  if (const std::string* name = first_beyond(known, names))
    return "its feature " + quoted(*name) + " is missing";
  return difference_of_names(names, known);
}

}  // namespace roipca::cli
