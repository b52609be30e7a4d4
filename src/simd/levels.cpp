#include "simd/levels.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

#ifdef __x86_64__
#include "simd/x86_64.hpp"
#endif

namespace roipca::simd {
namespace {

#define ROIPCA_NAME(enumerator, space, name) std::string_view(name),
constexpr std::array kNames = {ROIPCA_FOR_EACH_LEVEL(ROIPCA_NAME)};
#undef ROIPCA_NAME

Level choose() {
  const auto levels = available_levels();
  const char* forced = std::getenv("ROIPCA_ISA");
  if (forced == nullptr || *forced == '\0') return levels.back();
  std::string names;
  for (const Level level : levels) {
    if (name(level) == forced) return level;
    names += names.empty() ? "" : ", ";
    names += name(level);
  }
  throw std::runtime_error("ROIPCA_ISA is \"" + std::string(forced) + "\", but this machine has: " + names);
}

}  // namespace

std::string_view name(Level level) { return kNames.at(static_cast<std::size_t>(level)); }

std::vector<Level> available_levels() {
#ifdef __x86_64__
  std::vector<Level> levels;
  const auto best = static_cast<std::size_t>(highest_level(read_cpu()));
  for (std::size_t i = 0; i <= best; ++i) levels.push_back(static_cast<Level>(i));
  return levels;
#else
  return {Level::kBaseline};
#endif
}

Level active_level() {
  static const Level chosen = choose();
  return chosen;
}

}  // namespace roipca::simd
