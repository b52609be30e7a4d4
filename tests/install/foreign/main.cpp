// Uses the installed library from a separate project, and checks one number against a batch computation.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <exception>
#include <roipca/roipca.hpp>

namespace {

constexpr Eigen::Index kRows = 200;
constexpr Eigen::Index kColumns = 5;
constexpr Eigen::Index kComponents = 2;

// Waves of amplitudes 8, 4, 2, 1, 1/2: a spectrum that falls fast, so two components are easy.
roipca::RowMatrix<double> waves() {
  roipca::RowMatrix<double> rows(kRows, kColumns);
  for (Eigen::Index i = 0; i < kRows; ++i) {
    double amplitude = 8.0;
    for (Eigen::Index j = 0; j < kColumns; ++j) {
      rows(i, j) = 1.0 + amplitude * std::sin(static_cast<double>((i + 1) * (j + 1)));
      amplitude /= 2.0;
    }
  }
  return rows;
}

double leading_variance_of_batch(const roipca::RowMatrix<double>& rows) {
  const Eigen::MatrixXd centred = rows.rowwise() - rows.colwise().mean();
  const Eigen::MatrixXd covariance = centred.transpose() * centred / static_cast<double>(rows.rows() - 1);
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance).eigenvalues().maxCoeff();
}

int check() {
  const roipca::RowMatrix<double> rows = waves();
  roipca::OnlinePca<double> pca({.n_components = kComponents});
  pca.partial_fit(rows);
  const roipca::Model<double> model = pca.model();
  const Eigen::VectorXd variance = model.explained_variance();

  const double expected = leading_variance_of_batch(rows);
  std::printf("leading explained variance: online %.12g, batch %.12g\n", variance(0), expected);
  const bool agrees = variance.size() == kComponents && variance(0) >= variance(1) &&
                      std::abs(variance(0) - expected) <= 1e-6 * expected;
  return agrees ? 0 : 1;
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
