#include "suggestion.hpp"

#include <algorithm>
#include <numeric>

namespace roipca::cli {
namespace {

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i - 2, i - 1 and i of the table of distances between the first i characters of a and j of b.
  std::vector<std::size_t> earlier;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replaced, before[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], earlier[j - 2] + 1);
      }
    }
    earlier = before;
    std::swap(before, now);
  }
  return before[b.size()];
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kCharactersPerEdit = 3;
  constexpr std::size_t kLongest = 64;  // bounds the cost of absurd words; no option is half as long
  const std::string_view meant = without_dashes(word);
  if (meant.size() > kLongest) return {};
  std::size_t least = meant.size() / kCharactersPerEdit + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(meant, without_dashes(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace roipca::cli
