// Fits matrices of Eigen and reads the results as Eigen's types.
#include <cassert>
#include <cmath>
#include <roipca/eigen.hpp>
#include <roipca/online_pca.hpp>
#include <vector>

int main() {
  roipca::EigenColumns<double> by_columns(200, 4);
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 4; ++j) by_columns(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }
  const roipca::EigenRows<double> by_rows = by_columns;

  // Rows whose numbers follow each other in memory need no copy; others are copied, as are expressions.
  roipca::OnlinePca<double> pca({.n_components = 2});
  pca.partial_fit(by_rows.topRows(100));
  pca.partial_fit(roipca::to_rows(by_columns.bottomRows(100)));
  const roipca::Model<double> model = pca.model();

  // A view of numbers that the model owns.
  const auto mean = roipca::as_eigen(model.mean);
  assert(std::abs(mean(0) - by_columns.col(0).mean()) < 1e-12);

  // A temporary becomes a matrix of its own, with one component per row, or per column.
  const roipca::EigenRows<double> components = roipca::as_eigen(model.components());
  const Eigen::MatrixXd loadings = roipca::as_columns(model.components());
  assert(components.row(1).transpose() == loadings.col(1));

  const roipca::EigenVector<double> variance = roipca::as_eigen(model.explained_variance());
  assert(variance(0) >= variance(1));

  // A weight per row, from an expression.
  const std::vector<double> weights = roipca::to_vector(Eigen::VectorXd::Constant(200, 1.5));
  assert(pca.fit(by_rows, weights).model().weight == 300.0);
}
