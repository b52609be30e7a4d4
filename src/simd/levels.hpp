/// Levels of an architecture: instruction sets for which the library is compiled. It chooses one when the
/// program starts.
#pragma once

#include <string_view>
#include <vector>

// Calls X(enumerator, namespace, name) for each level of this build, lowest first.
#ifdef __x86_64__
#define ROIPCA_FOR_EACH_LEVEL(X)       \
  X(kBaseline, baseline, "baseline")   \
  X(kX86_64V2, x86_64_v2, "x86-64-v2") \
  X(kX86_64V3, x86_64_v3, "x86-64-v3") \
  X(kX86_64V4, x86_64_v4, "x86-64-v4")
#else
#define ROIPCA_FOR_EACH_LEVEL(X) X(kBaseline, baseline, "baseline")
#endif

namespace roipca::simd {

#define ROIPCA_ENUMERATOR(enumerator, space, name) enumerator,
enum class Level { ROIPCA_FOR_EACH_LEVEL(ROIPCA_ENUMERATOR) };
#undef ROIPCA_ENUMERATOR

std::string_view name(Level level);

/// Returns the levels that this machine can run, best last.
std::vector<Level> available_levels();

/// Returns the level in use: the best one, or the one that the environment variable ROIPCA_ISA names (read
/// once). Throws std::runtime_error if this machine cannot run it.
Level active_level();

}  // namespace roipca::simd
