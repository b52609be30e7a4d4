#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernels.hpp"

namespace roipca::kernels {

namespace baseline {
extern const Kernels kernels;
}
#ifdef ROIPCA_X86_64
namespace x86_64_v2 {
extern const Kernels kernels;
}
namespace x86_64_v3 {
extern const Kernels kernels;
}
namespace x86_64_v4 {
extern const Kernels kernels;
}
#endif

std::vector<const Kernels*> available() {
  std::vector<const Kernels*> found = {&baseline::kernels};
#ifdef ROIPCA_X86_64
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v2) found.push_back(&x86_64_v2::kernels);
  if (v3) found.push_back(&x86_64_v3::kernels);
  if (v4) found.push_back(&x86_64_v4::kernels);
#endif
  return found;
}

namespace {

const Kernels& choose() {
  const auto found = available();
  const char* forced = std::getenv("ROIPCA_ISA");
  if (forced == nullptr || *forced == '\0') return *found.back();
  std::string names;
  for (const Kernels* kernels : found) {
    if (std::string_view(kernels->name) == forced) return *kernels;
    names += names.empty() ? "" : ", ";
    names += kernels->name;
  }
  throw std::runtime_error("ROIPCA_ISA is \"" + std::string(forced) + "\", but this machine has: " + names);
}

}  // namespace

const Kernels& active() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace roipca::kernels
