#include "roipca/build_info.hpp"

#include "kernels/kernels.hpp"

namespace roipca {

std::string_view version() { return ROIPCA_VERSION; }

std::string_view instruction_set() { return kernels::active().name; }

}  // namespace roipca
