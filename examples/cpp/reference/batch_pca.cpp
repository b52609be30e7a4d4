// PCA of rows that are all in memory, where some rows count more than others.
#include <cassert>
#include <cmath>
#include <roipca/batch_pca.hpp>
#include <vector>

int main() {
  // The last row was observed twice.
  const std::vector<double> numbers = {1.0, 2.0, 3.0, 5.0, 4.0, 9.0};
  const std::vector<double> weights = {1.0, 1.0, 2.0};
  const roipca::Rows<double> rows(numbers.data(), 3, 2);
  const roipca::Model<double> weighted = roipca::batch_pca(rows, {.n_components = 1}, weights);

  // The same rows, written out.
  const std::vector<double> repeated = {1.0, 2.0, 3.0, 5.0, 4.0, 9.0, 4.0, 9.0};
  const roipca::Model<double> expected =
      roipca::batch_pca(roipca::Rows<double>(repeated.data(), 4, 2), {.n_components = 1});

  assert(weighted.mean == expected.mean);
  assert(std::abs(weighted.components()(0, 0) - expected.components()(0, 0)) < 1e-12);
  assert(std::abs(weighted.singular_values()[0] - expected.singular_values()[0]) < 1e-12);
}
