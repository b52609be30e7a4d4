#include "demo/frames.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "roipca/types.hpp"
#include "writers/formats.hpp"

namespace roipca::cli {
namespace {

constexpr Index kPixels = kFrameSide * kFrameSide;
constexpr Index kWaves = 40;
constexpr Index kChunk = 512;
constexpr float kMeanTemperature = 20.0F;
constexpr float kNoise = 0.2F;  // uniform between -kNoise and kNoise

// Cosines with few periods along either side, one per row; the longest waves come first and are the
// strongest.
OwnedRows<float> waves() {
  std::vector<std::pair<Index, Index>> periods;
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < 9; ++j) {
      if (i + j > 0) periods.emplace_back(i, j);
    }
  }
  std::stable_sort(periods.begin(), periods.end(), [](const auto& a, const auto& b) {
    return a.first * a.first + a.second * a.second < b.first * b.first + b.second * b.second;
  });
  constexpr auto kSide = static_cast<double>(kFrameSide);
  const auto along = [](Index periods_along, Index pixel) {
    const double length = std::sqrt((periods_along == 0 ? 1.0 : 2.0) / kSide);
    return length * std::cos(std::numbers::pi * static_cast<double>(periods_along) *
                             (static_cast<double>(pixel) + 0.5) / kSide);
  };
  OwnedRows<float> pictures(kWaves, kPixels);
  for (Index wave = 0; wave < kWaves; ++wave) {
    const auto [down, across] = periods[static_cast<std::size_t>(wave)];
    const double deviation = 10.0 * std::pow(static_cast<double>(wave + 1), -0.75);
    for (Index pixel = 0; pixel < kPixels; ++pixel) {
      pictures(wave, pixel) =
          static_cast<float>(deviation * along(down, pixel / kFrameSide) * along(across, pixel % kFrameSide));
    }
  }
  return pictures;
}

}  // namespace

void write_frames(const std::string& path, Index frames, std::uint64_t seed) {
  const OwnedRows<float> pictures = waves();

  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> noise(-kNoise, kNoise);
  OwnedRows<float> chunk(kChunk, kPixels);
  const auto writer = npy_writer<float>(path, kPixels);
  for (Index first = 0; first < frames; first += kChunk) {
    check_interrupt();
    const Index count = std::min(kChunk, frames - first);
    for (Index i = 0; i < count; ++i) {
      const std::span<float> frame = chunk.row(i);
      for (float& pixel : frame) pixel = kMeanTemperature + noise(random);
      for (Index wave = 0; wave < kWaves; ++wave) {
        const float strength = normal(random);
        const Row<float> picture = pictures.row(wave);
        std::transform(picture.begin(), picture.end(), frame.begin(), frame.begin(),
                       [strength](float x, float y) { return y + strength * x; });
      }
    }
    writer->write(chunk.slice(0, count));
  }
  writer->finish();
}

}  // namespace roipca::cli
