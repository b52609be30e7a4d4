#include "engine/make_rule.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/block_rule.hpp"
#include "rules/ccipca.hpp"
#include "rules/exact.hpp"
#include "rules/frequent_directions.hpp"
#include "rules/froipca.hpp"
#include "rules/gha.hpp"
#include "rules/ipca.hpp"
#include "rules/oja.hpp"
#include "rules/roipca.hpp"

namespace roipca {
namespace {

// The small eigenproblem costs (k + b)^3 / b a row, least for b = k / 2; the rotation d 2 k (k + b) / b, less
// the larger b is. Measured: see docs/performance.md.
Index block_rows(const Options& options, Index features, Index held) {
  if (options.block_size) return *options.block_size;
  const Index rows = features < 4000 ? held * 3 / 4 : held * 3 / 2;
  return std::clamp<Index>(rows, 8, 256);
}

}  // namespace

template <typename T>
std::unique_ptr<Rule<T>> make_rule(const Options& options, Index features) {
  const Index held = capacity(options, features).held;
  const Method method = resolve(options, features);
  const bool by_blocks = options.update == Update::kBlock;
  if (by_blocks && (method == Method::kRoipca || method == Method::kIpca)) {
    return std::make_unique<BlockRule<T>>(options, features, held, block_rows(options, features, held));
  }
  switch (method) {
    case Method::kAuto:
      break;
    case Method::kRoipca:
      return std::make_unique<RoipcaRule<T>>(options, features, held);
    case Method::kFroipca:
      return std::make_unique<FroipcaRule<T>>(options, features, held);
    case Method::kIpca:
      return std::make_unique<IpcaRule<T>>(features, held);
    case Method::kCcipca:
      return std::make_unique<CcipcaRule<T>>(options, features, held);
    case Method::kGha:
      return std::make_unique<GhaRule<T>>(options, features, held);
    case Method::kOja:
      return std::make_unique<OjaRule<T>>(options, features, held);
    case Method::kFrequentDirections:
      return std::make_unique<FrequentDirectionsRule<T>>(features, held);
    case Method::kExact:
      return std::make_unique<ExactRule<T>>(features);
  }
  throw std::invalid_argument("method: no such enumerator");
}

template std::unique_ptr<Rule<float>> make_rule<float>(const Options&, Index);
template std::unique_ptr<Rule<double>> make_rule<double>(const Options&, Index);

}  // namespace roipca
