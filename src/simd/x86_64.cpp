#include "simd/x86_64.hpp"

#include <cpuid.h>

namespace roipca::simd {
namespace {

constexpr std::uint32_t bit(int place) { return std::uint32_t{1} << place; }

// Bits of leaf 1, ecx.
constexpr std::uint32_t kSse3 = bit(0);
constexpr std::uint32_t kSsse3 = bit(9);
constexpr std::uint32_t kFma = bit(12);
constexpr std::uint32_t kCmpxchg16b = bit(13);
constexpr std::uint32_t kSse4_1 = bit(19);
constexpr std::uint32_t kSse4_2 = bit(20);
constexpr std::uint32_t kMovbe = bit(22);
constexpr std::uint32_t kPopcnt = bit(23);
constexpr std::uint32_t kOsxsave = bit(27);
constexpr std::uint32_t kAvx = bit(28);
constexpr std::uint32_t kF16c = bit(29);
// Bits of leaf 7, ebx.
constexpr std::uint32_t kBmi1 = bit(3);
constexpr std::uint32_t kAvx2 = bit(5);
constexpr std::uint32_t kBmi2 = bit(8);
constexpr std::uint32_t kAvx512f = bit(16);
constexpr std::uint32_t kAvx512dq = bit(17);
constexpr std::uint32_t kAvx512cd = bit(28);
constexpr std::uint32_t kAvx512bw = bit(30);
constexpr std::uint32_t kAvx512vl = bit(31);
// Bits of leaf 0x80000001, ecx.
constexpr std::uint32_t kLahf = bit(0);
constexpr std::uint32_t kLzcnt = bit(5);
// Bits of XCR0.
constexpr std::uint64_t kXmmAndYmm = bit(1) | bit(2);
constexpr std::uint64_t kMasksAndZmm = bit(5) | bit(6) | bit(7);

// The features that each level needs in addition to the one before it.
struct Requirement {
  Level level;
  Cpu needs;
};
constexpr Requirement kRequirements[] = {
    {Level::kX86_64V2,
     {.leaf_1_ecx = kCmpxchg16b | kPopcnt | kSse3 | kSsse3 | kSse4_1 | kSse4_2, .extended_1_ecx = kLahf}},
    {Level::kX86_64V3,
     {.leaf_1_ecx = kAvx | kF16c | kFma | kMovbe | kOsxsave,
      .leaf_7_ebx = kAvx2 | kBmi1 | kBmi2,
      .extended_1_ecx = kLzcnt,
      .xcr0 = kXmmAndYmm}},
    {Level::kX86_64V4,
     {.leaf_7_ebx = kAvx512f | kAvx512bw | kAvx512cd | kAvx512dq | kAvx512vl, .xcr0 = kMasksAndZmm}},
};

template <typename Bits>
bool has_all(Bits has, Bits needs) {
  return (has & needs) == needs;
}

bool satisfies(const Cpu& cpu, const Cpu& needs) {
  return has_all(cpu.leaf_1_ecx, needs.leaf_1_ecx) && has_all(cpu.leaf_7_ebx, needs.leaf_7_ebx) &&
         has_all(cpu.extended_1_ecx, needs.extended_1_ecx) && has_all(cpu.xcr0, needs.xcr0);
}

// The intrinsic needs -mxsave, which would allow the compiler to use more than the baseline here.
std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

}  // namespace

Cpu read_cpu() {
  Cpu cpu;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) cpu.leaf_1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) cpu.leaf_7_ebx = ebx;
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0) cpu.extended_1_ecx = ecx;
  if (has_all(cpu.leaf_1_ecx, kOsxsave)) cpu.xcr0 = read_xcr0();
  return cpu;
}

Level highest_level(const Cpu& cpu) {
  Level level = Level::kBaseline;
  for (const Requirement& requirement : kRequirements) {
    if (!satisfies(cpu, requirement.needs)) break;
    level = requirement.level;
  }
  return level;
}

}  // namespace roipca::simd
