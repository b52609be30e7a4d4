#include "roipca/build_info.hpp"

#include "simd/levels.hpp"

namespace roipca {

std::string_view version() { return ROIPCA_VERSION; }

std::string_view instruction_set() { return simd::name(simd::active_level()); }

}  // namespace roipca
