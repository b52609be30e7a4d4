/// Makes an engine from options.
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "roipca/options.hpp"

namespace roipca {

/// Returns the engine of the options' method, for rows of `features` numbers. Throws std::invalid_argument if
/// more components are requested than there are features.
template <typename T>
std::unique_ptr<Engine<T>> make_engine(const Options& options, Index features);

/// Return whether that engine takes many rows at a time, and how many.
bool by_blocks(const Options& options, Index features);
Index block_rows(const Options& options, Index features);

}  // namespace roipca
