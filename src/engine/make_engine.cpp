#include "engine/make_engine.hpp"

#include <algorithm>

#include "engine/dense_blocks.hpp"
#include "engine/make_rule.hpp"
#include "engine/row_by_row.hpp"
#include "engine/scatter_matrix.hpp"

namespace roipca {

bool by_blocks(const Options& options, Index features) {
  const Method method = resolve(options, features);
  if (method == Method::kExact) return true;
  return options.update_every == UpdateEvery::kBlock &&
         (method == Method::kRoipca || method == Method::kIpca);
}

template <typename T>
std::unique_ptr<Engine<T>> make_engine(const Options& options, Index features) {
  const auto [reported, held] = capacity(options, features);
  if (!by_blocks(options, features)) {
    return std::make_unique<RowByRow<T>>(make_rule<T>(options, features), features, held);
  }
  const Index rows = block_rows(options, features);
  if (resolve(options, features) == Method::kExact) {
    return std::make_unique<ScatterMatrix<T>>(features, reported, rows);
  }
  return std::make_unique<DenseBlocks<T>>(options, features, rows);
}

Index block_rows(const Options& options, Index features) {
  // The scatter is read and written once per block, and the rows of a block stay in the second-level cache.
  if (resolve(options, features) == Method::kExact) return 96;
  // Per row, products of rows with each other cost O(b d) and small matrices O(b^2). Beyond this, a larger
  // block only costs time.
  constexpr Index kMost = 256;
  // Rows that are centred one by one cannot have gaps.
  const Index least = options.missing == Missing::kImpute ? 2 : 1;
  if (options.block_size) return std::clamp(*options.block_size, least, kMost);
  // Per row, products of rows with each other cost b / 2 and small matrices k^3 / b. Measured, with a
  // multiple of 8 to fill the vectors.
  const Index best = capacity(options, features).held / 2 + 14;
  return std::clamp<Index>((best + 7) / 8 * 8, 8, kMost);
}

template std::unique_ptr<Engine<float>> make_engine<float>(const Options&, Index);
template std::unique_ptr<Engine<double>> make_engine<double>(const Options&, Index);

}  // namespace roipca
