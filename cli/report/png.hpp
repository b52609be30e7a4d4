/// Pictures inside a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::cli {

/// A data: address of a PNG of `height` x `width` pixels, one for each of `values` by rows: 0 is white,
/// positive ones are red and negative ones blue, the largest in magnitude in full.
std::string picture_address(const Vector<double>& values, Index height, Index width);

}  // namespace roipca::cli
