#include "linalg/operations.hpp"

#include <array>

namespace roipca::linalg {

#define ROIPCA_DECLARE(enumerator, space, name) \
  namespace space {                             \
  extern const Operations operations;           \
  }
ROIPCA_FOR_EACH_LEVEL(ROIPCA_DECLARE)
#undef ROIPCA_DECLARE

const Operations& operations(simd::Level level) {
#define ROIPCA_ADDRESS(enumerator, space, name) &space::operations,
  static constexpr std::array kOperations = {ROIPCA_FOR_EACH_LEVEL(ROIPCA_ADDRESS)};
#undef ROIPCA_ADDRESS
  return *kOperations.at(static_cast<std::size_t>(level));
}

const Operations& operations() {
  static const Operations& chosen = operations(simd::active_level());
  return chosen;
}

}  // namespace roipca::linalg
