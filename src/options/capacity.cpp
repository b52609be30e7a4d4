#include <algorithm>
#include <stdexcept>
#include <string>

#include "roipca/options.hpp"

namespace roipca {
namespace {

// The d x d scatter costs d^2 / 2 products a row, blocks about 4 k d: see docs/performance.md.
constexpr Index kExactUpTo = 8;

// The others do not rotate their components among each other, so that those beyond the reported ones would
// never give up what belongs to the reported ones.
bool gains_from_oversampling(Method method) {
  return method == Method::kRoipca || method == Method::kIpca || method == Method::kFrequentDirections;
}

}  // namespace

Method resolve(const Options& options, Index features) {
  if (options.method != Method::kAuto) return options.method;
  Options by_roipca = options;
  by_roipca.method = Method::kRoipca;
  return features <= kExactUpTo * capacity(by_roipca, features).held ? Method::kExact : Method::kRoipca;
}

Capacity capacity(const Options& options, Index features) {
  if (options.n_components > features) {
    throw std::invalid_argument("n_components is " + std::to_string(options.n_components) +
                                ", but the rows have only " + std::to_string(features) + " features");
  }
  const Index reported = options.n_components == 0 ? features : options.n_components;
  // The exact method has every eigenpair anyway, and needs them to go on from a model.
  const Method method = resolve(options, features);
  if (method == Method::kExact) return {reported, features};
  const Index automatic = gains_from_oversampling(method) ? std::max<Index>(10, reported / 5) : 0;
  const Index extra = std::min(options.oversampling.value_or(automatic), features - reported);
  return {reported, reported + extra};
}

}  // namespace roipca
