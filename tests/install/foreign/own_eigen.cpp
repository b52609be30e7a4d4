// A program that uses Eigen itself, compiled with options of its own, on both sides of every call to the
// library. Each round allocates, resizes, decomposes and frees the same types as the library does inside.
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstdio>
#include <exception>
#include <roipca/eigen.hpp>
#include <roipca/eigen_sparse.hpp>
#include <roipca/roipca.hpp>

namespace {

template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of rank 3, far from the origin, by products and a decomposition of the program's own.
template <typename T>
RowMajor<T> plane(Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd mixed(columns, 3);
  for (Eigen::Index i = 0; i < mixed.size(); ++i) mixed.data()[i] = std::sin(static_cast<double>(i * i + 1));
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(mixed);
  const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(columns, 3);
  Eigen::MatrixXd scores(rows, 3);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      scores(i, j) = std::cos(static_cast<double>((i + 1) * (j + 2))) * static_cast<double>(3 - j);
    }
  }
  const Eigen::MatrixXd all = (scores * basis.transpose()).array() + 2.0;
  return all.cast<T>();
}

template <typename T>
double round(Eigen::Index rows, Eigen::Index columns) {
  const RowMajor<T> x = plane<T>(rows, columns);
  const Eigen::MatrixXd centred =
      x.template cast<double>().rowwise() - x.template cast<double>().colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(centred.transpose() * centred);
  const Eigen::VectorXd expected = solver.eigenvalues().tail(3).reverse().cwiseSqrt();

  roipca::OnlinePca<T> pca({.n_components = 3});
  pca.partial_fit(x.topRows(rows / 2));
  const Eigen::SparseMatrix<T, Eigen::RowMajor> sparse = x.sparseView();
  roipca::OnlinePca<T> from_sparse({.n_components = 3});
  from_sparse.partial_fit(roipca::sparse_rows(sparse.topRows(rows / 2)));
  const Eigen::VectorXd difference = roipca::as_eigen(from_sparse.model().singular_values()) -
                                     roipca::as_eigen(pca.model().singular_values());

  const roipca::Model<T> batch = roipca::batch_pca<T>(x.bottomRows(rows - rows / 2), pca.options());
  const roipca::Model<T> model = roipca::merge(pca.model(), batch);

  const Eigen::VectorXd found = roipca::as_eigen(model.singular_values());
  const RowMajor<T> scores = roipca::as_eigen(model.transform(x));
  const RowMajor<T> back = roipca::as_eigen(model.inverse_transform(roipca::to_rows(scores * T{1})));
  const double lost = (back - x).template cast<double>().norm() / centred.norm();
  return (found - expected).norm() / expected[0] + lost + difference.norm() / expected[0];
}

int check() {
  double worst = 0.0;
  for (Eigen::Index columns = 5; columns < 60; columns += 6) {
    worst = std::max(worst, std::max(round<float>(80, columns), round<double>(90, columns)));
  }
  // Single precision: 80 sums of 60 numbers about 2.
  std::printf("largest error: %.2g\n", worst);
  return worst < 1e-4 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return check();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
