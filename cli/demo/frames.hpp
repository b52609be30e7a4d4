/// Simulated data for the demonstration.
#pragma once

#include <cstdint>
#include <string>

#include "roipca/types.hpp"

namespace roipca::cli {

inline constexpr Index kFrameSide = 32;  ///< of a frame, in pixels

/// Writes frames of a heat camera above a plate as float32 rows of an npy file, 2 MB at a time: waves across
/// the plate, orthonormal as pictures, with variances of 100 / n^(3/2) for the n-th, and noise. Throws
/// FileError, or Interrupted.
void write_frames(const std::string& path, Index frames, std::uint64_t seed);

}  // namespace roipca::cli
