// Reads the rows again until the error of the components is small enough.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <optional>
#include <roipca/accuracy.hpp>
#include <roipca/batch_pca.hpp>
#include <roipca/online_pca.hpp>
#include <roipca/refinement.hpp>
#include <roipca/subspace.hpp>
#include <vector>

int main() {
  // 400 rows of 60 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<double> rows(400, 60);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) rows(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }

  // The probes measure the error of the first pass.
  const roipca::Options options = {.n_components = 3, .method = roipca::Method::kRoipca, .probes = 10};
  roipca::OnlinePca<double> pca(options);
  roipca::Model<double> model = pca.partial_fit(rows).model();

  std::optional<double> before;
  while (roipca::is_worth_another_pass(model, 1e-10, before)) {
    before = roipca::error_estimate(model);
    std::printf("after pass %d, the error is about %.0e\n", static_cast<int>(model.passes), *before);
    model = roipca::Refinement<double>(model).add(rows).finish();
  }
  const double bound = *roipca::error_bound(model, 0.999);
  std::printf("after pass %d, it is at most %.0e\n", static_cast<int>(model.passes), bound);

  const roipca::Model<double> batch = roipca::batch_pca<double>(rows, options);
  assert(roipca::subspace_error(model.components(), batch.components()) <= bound);

  // Neighbours of nearly equal variance form a group, of which only the plane is known.
  const std::vector<double> errors = roipca::component_errors(model);
  std::size_t component = 0;
  for (const roipca::Index size : roipca::component_groups(model)) {
    std::printf("a group of %d, whose first component has an error of about %.0e\n", static_cast<int>(size),
                errors[component]);
    component += static_cast<std::size_t>(size);
  }
  assert(component == 3);
}
