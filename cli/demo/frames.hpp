/// Simulated data for the demonstration.
#pragma once

#include <cstdint>
#include <string>

#include "roipca/types.hpp"

namespace roipca::cli {

inline constexpr Index kFrameSide = 32;  ///< side of a frame, in pixels

/// Writes simulated frames of a thermal camera above a plate as float32 rows of an npy file, 2 MB at a time.
/// A frame is a sum of orthonormal waves, of which the n-th has variance 100 / n^(3/2), and noise. Throws
/// FileError and Interrupted.
void write_frames(const std::string& path, Index frames, std::uint64_t seed);

}  // namespace roipca::cli
