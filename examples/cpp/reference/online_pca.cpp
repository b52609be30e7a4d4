// The estimator: rows in, a model out, at any time.
#include <cassert>
#include <cmath>
#include <memory>
#include <roipca/online_pca.hpp>
#include <stdexcept>
#include <vector>

int main() {
  // 1,000 rows of 8 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<double> rows(1000, 8);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) rows(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }

  // Rows arrive in parts, alone, with weights, or as nonzeros.
  roipca::OnlinePca<double> pca({.n_components = 2});
  pca.partial_fit(rows.slice(0, 500));
  pca.update(rows.slice(500, 1).row(0), 2.0);  // this one counts twice
  pca.partial_fit(rows.slice(501, 2), std::vector<double>{0.5, 1.5});
  roipca::OwnedSparseRows<double> sparse(8);
  sparse.add(3, 1.0);
  sparse.end_row();
  pca.partial_fit(sparse.view());
  assert(pca.rows_seen() == 504 && pca.features() == 8 && pca.options().n_components == 2);

  // Reading does not disturb the stream. A snapshot is the same object until more rows arrive.
  const roipca::Model<double> model = pca.model();
  const std::shared_ptr<const roipca::Model<double>> shared = pca.snapshot();
  assert(*shared == model && shared == pca.snapshot());
  // For results along the reported components. For sparse rows of many features it can take half the time.
  assert(pca.reported()->components() == model.components());

  // A model is enough to resume to rounding, the whole state to resume with the same bits.
  roipca::OnlinePca<double> from_model(model);
  auto resumed = roipca::OnlinePca<double>::from_state(pca.state());
  assert(from_model.update(rows.slice(504, 1).row(0)).rows_seen() == 505);
  assert(resumed.partial_fit(rows).model() == pca.partial_fit(rows).model());

  // Two estimators of different rows. The exact ones add their scatter matrices.
  const roipca::Options exact = {.n_components = 2, .method = roipca::Method::kExact};
  roipca::OnlinePca<double> left(exact);
  roipca::OnlinePca<double> right(exact);
  left.fit(rows.slice(0, 400));  // forgets everything first
  right.fit(rows.slice(400, 600));
  assert(left.adds_scatters());
  assert(left.merge(right).rows_seen() == 1000);

  // The step sizes of the paper's fROIPCA, one per held component.
  roipca::OnlinePca<double> froipca({.n_components = 2, .method = roipca::Method::kFroipca});
  assert(froipca.fit(rows).learning_rates().size() == 2);

  // A long call can be ended, for example by a button. The estimator is then as it was before.
  const roipca::InterruptCheck stop = [] { throw std::runtime_error("stopped"); };
  const roipca::OwnedRows<double> many(50000, 8);
  try {
    pca.partial_fit(many, {}, stop);
    return 1;
  } catch (const std::runtime_error&) {
    assert(pca.rows_seen() == 1504);
  }
}
