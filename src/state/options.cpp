#include "state/options.hpp"

namespace roipca::state {

// A structured binding, so that this does not compile until a new option is added here.
void visit_options(Archive& archive, Options& options) {
  auto& [n_components, method, update_every, block_size, mu, tau, oversampling, center, forgetting, threads,
         learning_rate, amnesia] = options;
  auto& [mu_kind, mu_variance] = mu;
  auto& [rate_kind, rate_c] = learning_rate;
  archive(n_components, method, update_every, block_size, mu_kind, mu_variance, tau, oversampling, center,
          forgetting, threads, rate_kind, rate_c, amnesia);
}

}  // namespace roipca::state
