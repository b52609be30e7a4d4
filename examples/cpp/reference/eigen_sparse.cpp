// Fits the rows of a sparse matrix of Eigen.
#include <cassert>
#include <roipca/eigen_sparse.hpp>
#include <roipca/online_pca.hpp>

int main() {
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix(300, 1000);
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 5; ++k) matrix.insert(i, (37 * i + 211 * k) % 1000) = 1.0 + k;
  }
  matrix.makeCompressed();

  roipca::OnlinePca<double> pca({.n_components = 3});
  pca.partial_fit(roipca::sparse_rows(matrix.middleRows(0, 100)));  // some rows; nothing is copied
  pca.partial_fit(roipca::sparse_rows(matrix.middleRows(100, 200)));

  const auto scores = pca.model().transform(roipca::sparse_rows(matrix));
  assert(scores.rows() == 300 && scores.cols() == 3);
}
