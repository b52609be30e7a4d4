// Reads the rows again, in two processes, and comes closer to batch PCA.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <roipca/batch_pca.hpp>
#include <roipca/refinement.hpp>
#include <roipca/subspace.hpp>

int main() {
  // 400 rows of 60 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<double> rows(400, 60);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) rows(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }
  const roipca::Options options = {.n_components = 3, .method = roipca::Method::kRoipca};
  roipca::OnlinePca<double> pca(options);
  const roipca::Model<double> once = pca.partial_fit(rows).model();

  // Each process reads a part of the rows, in any order, for the same model.
  roipca::Refinement<double> left(once);
  roipca::Refinement<double> right(once);
  left.add(rows.slice(0, 100));
  right.add(rows.slice(300, 100)).add(rows.slice(100, 200));
  assert(left.rows() == 100 && right.rows() == 300);

  // One sends its sums to the other, which knows the model.
  left.merge(roipca::Refinement<double>::from_state(left.model(), right.state()));
  const roipca::Model<double> twice = left.finish();
  assert(twice.passes == 2);

  const roipca::OwnedRows<double> batch = roipca::batch_pca<double>(rows, options).components();
  const double before = roipca::subspace_error(once.components(), batch);
  const double after = roipca::subspace_error(twice.components(), batch);
  std::printf("error %.0e after one pass, %.0e after two\n", before, after);
  assert(after < before / 5.0);
}
