#include "engine/make_rule.hpp"

#include <stdexcept>

#include "rules/ccipca.hpp"
#include "rules/frequent_directions.hpp"
#include "rules/froipca.hpp"
#include "rules/gha.hpp"
#include "rules/ipca.hpp"
#include "rules/oja.hpp"
#include "rules/roipca.hpp"

namespace roipca {
template <typename T>
std::unique_ptr<Rule<T>> make_rule(const Options& options, Index features) {
  const Index held = capacity(options, features).held;
  const Method method = resolve(options, features);
  switch (method) {
    case Method::kAuto:
    case Method::kExact:
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
  }
  throw std::invalid_argument("method 'exact' has no row-by-row rule");
}

template std::unique_ptr<Rule<float>> make_rule<float>(const Options&, Index);
template std::unique_ptr<Rule<double>> make_rule<double>(const Options&, Index);

}  // namespace roipca
