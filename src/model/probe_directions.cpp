#include "model/probe_directions.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace roipca {
namespace {

constexpr std::uint64_t kSeed = 0x726f69706361;  // arbitrary, and independent of any data
constexpr std::uint64_t kAttempts = 64;          // room for the draws of one pair; 5 of 23 are rejected
constexpr std::uint64_t kFeatures = std::uint64_t{1} << 40;

// SplitMix64 (Steele, Lea and Flood 2014), with a counter as its state.
std::uint64_t random_bits(std::uint64_t counter) {
  std::uint64_t z = kSeed + (counter + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

// Returns an odd multiple of 2^-32 between -1 and 1.
double centred(std::uint64_t bits) { return std::ldexp(2.0 * static_cast<double>(bits) + 1.0, -32) - 1.0; }

// Returns the logarithm of a number between 0 and 1. Libraries differ in the last bit of std::log.
double logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.5 * std::numbers::sqrt2) {
    m *= 2.0;
    --exponent;
  }
  // 2 artanh(f) with |f| < 0.172: the term after the last one is below 2^-53 of the sum.
  const double f = (m - 1.0) / (m + 1.0);
  const double z = f * f;
  double sum = 0.0;
  for (int i = 21; i > 0; i -= 2) sum = sum * z + 1.0 / i;
  return exponent * std::numbers::ln2 + 2.0 * f * sum;
}

struct Pair {
  double first;
  double second;
};

// Marsaglia's polar method.
Pair normal_pair(std::uint64_t counter) {
  for (;; ++counter) {
    const std::uint64_t bits = random_bits(counter);
    const double u = centred(bits >> 32U);
    const double v = centred(bits & 0xffffffffU);
    const double square = u * u + v * v;
    if (square >= 1.0) continue;
    const double factor = std::sqrt(-2.0 * logarithm(square) / square);
    return {u * factor, v * factor};
  }
}

}  // namespace

template <typename T>
Matrix<T> probe_directions(Index features, Index count) {
  Matrix<T> directions(features, count);
  for (Index probe = 0; probe < count; probe += 2) {
    const std::uint64_t first = static_cast<std::uint64_t>(probe / 2) * kFeatures;
    for (Index j = 0; j < features; ++j) {
      const Pair pair = normal_pair((first + static_cast<std::uint64_t>(j)) * kAttempts);
      directions(j, probe) = static_cast<T>(pair.first);
      if (probe + 1 < count) directions(j, probe + 1) = static_cast<T>(pair.second);
    }
  }
  return directions;
}

template Matrix<float> probe_directions(Index, Index);
template Matrix<double> probe_directions(Index, Index);

}  // namespace roipca
