#include "engine/block_rule.hpp"

#include <algorithm>

#include "engine/leading_pairs.hpp"
#include "engine/scatter_matrix.hpp"

namespace roipca {

bool by_blocks(const Options& options, Index features) {
  const Method method = resolve(options, features);
  if (method == Method::kExact) return true;
  return options.update_every == UpdateEvery::kBlock &&
         (method == Method::kRoipca || method == Method::kIpca);
}

template <typename T>
std::unique_ptr<BlockRule<T>> make_block_rule(const Options& options, Index features) {
  const Index rows = block_rows(options, features);
  if (resolve(options, features) == Method::kExact) {
    return std::make_unique<ScatterMatrix<T>>(features, capacity(options, features).reported, rows);
  }
  return std::make_unique<LeadingPairs<T>>(options, features, rows);
}

Index block_rows(const Options& options, Index features) {
  if (resolve(options, features) == Method::kExact) return 32;
  if (options.block_size) return *options.block_size;
  // Products of rows with each other cost b / 2 a row, small matrices k^3 / b: measured, with a multiple of 8
  // to fill the vectors.
  const Index best = capacity(options, features).held / 2 + 14;
  return std::clamp<Index>((best + 7) / 8 * 8, 8, 256);
}

template std::unique_ptr<BlockRule<float>> make_block_rule<float>(const Options&, Index);
template std::unique_ptr<BlockRule<double>> make_block_rule<double>(const Options&, Index);

}  // namespace roipca
