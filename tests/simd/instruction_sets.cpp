// Prints the instruction sets that ROIPCA_ISA may name on this machine, one per line.
#include <cstdio>
#include <string>

#include "simd/levels.hpp"

int main() {
  for (const roipca::simd::Level level : roipca::simd::available_levels()) {
    std::puts(std::string(roipca::simd::name(level)).c_str());
  }
}
