/// The highest level of an x86-64 processor.
#pragma once

#include <cstdint>

#include "simd/levels.hpp"

namespace roipca::simd {

/// The features that a processor reports: results of the instruction cpuid, and XCR0, the registers that the
/// operating system saves (0 if it does not use xsave).
struct Cpu {
  std::uint32_t leaf_1_ecx = 0;
  std::uint32_t leaf_7_ebx = 0;
  std::uint32_t extended_1_ecx = 0;  // leaf 0x80000001
  std::uint64_t xcr0 = 0;
};

Cpu read_cpu();

/// Returns the highest level whose instructions the processor has all, as defined by the x86-64 psABI: a
/// compiler may use any of them in code for that level.
Level highest_level(const Cpu& cpu);

}  // namespace roipca::simd
