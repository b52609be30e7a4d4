// Prepares counts of words or genes: equal sums, logarithms, a choice of features.
#include <cassert>
#include <cmath>
#include <roipca/preparation.hpp>
#include <vector>

int main() {
  const roipca::PreparationSteps steps = {.target_sum = 10.0,
                                          .log1p = true,
                                          .feature_weights = {1.0, 2.0, 1.0},
                                          .feature_mask = {true, true, false}};
  assert(!steps.is_empty());
  const roipca::Preparation<double> preparation(steps, 3);
  assert(preparation.features_in() == 3 && preparation.features_out() == 2);

  // The first row has the sum 20, so its numbers are halved.
  const std::vector<double> counts = {4.0, 6.0, 10.0, 0.0, 0.0, 5.0};
  const roipca::Rows<double> dense(counts.data(), 2, 3);
  const roipca::OwnedRows<double> prepared = preparation.apply(dense);
  assert(std::abs(prepared(0, 0) - std::log(3.0)) < 1e-15);
  assert(std::abs(prepared(0, 1) - 2.0 * std::log(4.0)) < 1e-15);

  // Sparse rows stay sparse. The second row has nothing left in it.
  roipca::OwnedSparseRows<double> sparse(3);
  sparse.add(0, 4.0);
  sparse.add(1, 6.0);
  sparse.add(2, 10.0);
  sparse.end_row();
  sparse.add(2, 5.0);
  sparse.end_row();
  const roipca::OwnedSparseRows<double> prepared_sparse = preparation.apply(sparse.view());
  assert(prepared_sparse.rows() == 2 && prepared_sparse.entries() == 2);
  assert(prepared_sparse.values()[0] == prepared(0, 0));

  // One row at a time, into memory that is used again.
  std::vector<double> row(2);
  preparation.apply_row(dense, 0, row);
  assert(row[1] == prepared(0, 1));
}
