#include "simd/x86_64.hpp"

#include <gtest/gtest.h>

namespace roipca::simd {
namespace {

// A processor that says yes to everything.
constexpr Cpu kEverything = {~0U, ~0U, ~0U, ~std::uint64_t{0}};

// Each flag by its bit in the manuals, and the best level without it.
TEST(HighestLevel, NeedsEveryInstructionThatACompilerMayUse) {
  EXPECT_EQ(highest_level(kEverything), Level::kX86_64V4);
  EXPECT_EQ(highest_level(Cpu{}), Level::kBaseline);
  const auto without = [](auto Cpu::*flags, int bit) {
    Cpu cpu = kEverything;
    cpu.*flags &= ~(decltype(cpu.*flags + 0U){1} << bit);
    return highest_level(cpu);
  };
  for (const int bit :
       {0 /* sse3 */, 9 /* ssse3 */, 13 /* cx16 */, 19 /* sse4.1 */, 20 /* sse4.2 */, 23 /* popcnt */}) {
    EXPECT_EQ(without(&Cpu::leaf_1_ecx, bit), Level::kBaseline) << bit;
  }
  EXPECT_EQ(without(&Cpu::extended_1_ecx, 0 /* lahf */), Level::kBaseline);
  for (const int bit : {12 /* fma */, 22 /* movbe */, 27 /* osxsave */, 28 /* avx */, 29 /* f16c */}) {
    EXPECT_EQ(without(&Cpu::leaf_1_ecx, bit), Level::kX86_64V2) << bit;
  }
  for (const int bit : {3 /* bmi */, 5 /* avx2 */, 8 /* bmi2 */}) {
    EXPECT_EQ(without(&Cpu::leaf_7_ebx, bit), Level::kX86_64V2) << bit;
  }
  EXPECT_EQ(without(&Cpu::extended_1_ecx, 5 /* lzcnt */), Level::kX86_64V2);
  for (const int bit : {16 /* f */, 17 /* dq */, 28 /* cd */, 30 /* bw */, 31 /* vl */}) {
    EXPECT_EQ(without(&Cpu::leaf_7_ebx, bit), Level::kX86_64V3) << bit;
  }
}

TEST(HighestLevel, NeedsAnOperatingSystemThatSavesTheRegisters) {
  Cpu cpu = kEverything;
  cpu.xcr0 = 0x3;  // no upper halves of ymm
  EXPECT_EQ(highest_level(cpu), Level::kX86_64V2);
  cpu.xcr0 = 0x7;  // no zmm
  EXPECT_EQ(highest_level(cpu), Level::kX86_64V3);
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
TEST(HighestLevel, AgreesWithTheCompilersRuntime) {
  __builtin_cpu_init();
  const Level expected = __builtin_cpu_supports("x86-64-v4")   ? Level::kX86_64V4
                         : __builtin_cpu_supports("x86-64-v3") ? Level::kX86_64V3
                         : __builtin_cpu_supports("x86-64-v2") ? Level::kX86_64V2
                                                               : Level::kBaseline;
  EXPECT_EQ(highest_level(read_cpu()), expected);
}
#endif

}  // namespace
}  // namespace roipca::simd
