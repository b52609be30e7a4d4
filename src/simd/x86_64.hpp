/// Which level an x86-64 processor reaches.
#pragma once

#include <cstdint>

#include "simd/levels.hpp"

namespace roipca::simd {

/// What a processor says about itself: registers of the instruction cpuid, and XCR0, the registers that the
/// operating system saves (0 where it saves none by xsave).
struct Cpu {
  std::uint32_t leaf_1_ecx = 0;
  std::uint32_t leaf_7_ebx = 0;
  std::uint32_t extended_1_ecx = 0;  // leaf 0x80000001
  std::uint64_t xcr0 = 0;
};

Cpu read_cpu();

/// The highest level all of whose instructions the processor has, by the definition of the x86-64 psABI: a
/// compiler may use any of them for code of that level.
Level highest_level(const Cpu& cpu);

}  // namespace roipca::simd
