#include "simd/table.hpp"

#include <array>

namespace roipca::simd {

#define ROIPCA_DECLARE(enumerator, space, name) \
  namespace space {                             \
  extern const Tables tables;                   \
  }
ROIPCA_FOR_EACH_LEVEL(ROIPCA_DECLARE)
#undef ROIPCA_DECLARE

const Tables& tables(Level level) {
#define ROIPCA_ADDRESS(enumerator, space, name) &space::tables,
  static constexpr std::array kTables = {ROIPCA_FOR_EACH_LEVEL(ROIPCA_ADDRESS)};
#undef ROIPCA_ADDRESS
  return *kTables.at(static_cast<std::size_t>(level));
}

const Tables& active_tables() {
  static const Tables& chosen = tables(active_level());
  return chosen;
}

}  // namespace roipca::simd
