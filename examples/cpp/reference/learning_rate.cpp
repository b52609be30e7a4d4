// Finds the learning rate of Oja's rule by cross-validation.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <roipca/learning_rate.hpp>
#include <roipca/online_pca.hpp>

int main() {
  // 300 rows of 6 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<double> rows(300, 6);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) rows(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }

  roipca::Options options = {.n_components = 2, .method = roipca::Method::kOja};
  assert(rows.rows() >= roipca::kTuningMinimum);
  const double c = roipca::tune_learning_rate<double>(rows, options);
  std::printf("learning rate %.3g / n\n", c);

  options.learning_rate = roipca::LearningRate::fixed(c);
  roipca::OnlinePca<double> pca(options);
  pca.partial_fit(rows);
  assert(std::abs(pca.learning_rates()[0] - c / 300.0) < 1e-12 * c);
}
