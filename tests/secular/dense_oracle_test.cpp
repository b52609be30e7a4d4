// RankOneEigen against Eigen's dense symmetric eigensolver, on ordinary and adversarial problems. The oracle
// runs in long double, so that the errors are ours alone.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "problems.hpp"
#include "secular/rank_one_eigen.hpp"

namespace roipca::secular {
namespace {

using testing::Problem;
using testing::ProblemSource;
using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Vector<long double, Eigen::Dynamic>;

/// Largest errors seen, relative to the larger norm of diag(poles) and rho z z^T.
struct Errors {
  long double values = 0.0L;
  long double orthogonality = 0.0L;
  long double residual = 0.0L;
  long double trace = 0.0L;
  long double interlacing = 0.0L;

  void raise_to(const Errors& other) {
    values = std::max(values, other.values);
    orthogonality = std::max(orthogonality, other.orthogonality);
    residual = std::max(residual, other.residual);
    trace = std::max(trace, other.trace);
    interlacing = std::max(interlacing, other.interlacing);
  }
};

/// How far values[i] lies outside [poles[i], poles[i-1]], or the mirror image of that for rho < 0.
long double interlacing_violation(const Problem& problem, const Vector& values) {
  long double violation = 0.0L;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const auto j = static_cast<std::size_t>(i);
    const bool up = problem.rho >= 0.0;
    const long double inner = up ? problem.poles[j] - values[i] : values[i] - problem.poles[j];
    violation = std::max(violation, inner);
    if (up && j > 0) violation = std::max(violation, values[i] - problem.poles[j - 1]);
    if (!up && j + 1 < problem.poles.size())
      violation = std::max(violation, problem.poles[j + 1] - values[i]);
  }
  return violation;
}

std::string describe(const Errors& errors) {
  std::ostringstream text;
  text << "values " << errors.values << ", orthogonality " << errors.orthogonality << ", residual "
       << errors.residual << ", trace " << errors.trace << ", interlacing " << errors.interlacing;
  return text.str();
}

Errors errors_of(const Problem& problem, RankOneEigen& solver) {
  const auto n = static_cast<Eigen::Index>(problem.poles.size());
  const Vector poles = Eigen::Map<const Eigen::VectorXd>(problem.poles.data(), n).cast<long double>();
  const Vector z = Eigen::Map<const Eigen::VectorXd>(problem.z.data(), n).cast<long double>();
  Matrix matrix = static_cast<long double>(problem.rho) * z * z.transpose();
  matrix.diagonal() += poles;
  const Vector expected =
      Eigen::SelfAdjointEigenSolver<Matrix>(matrix, Eigen::EigenvaluesOnly).eigenvalues().reverse();
  // Not the norm of the sum: if the two parts cancel, the last bit of either moves the eigenvalues by this
  // much.
  const long double size = std::max(poles.cwiseAbs().maxCoeff(), std::fabs(problem.rho) * z.squaredNorm());
  const long double norm = size > 0.0L ? size : 1.0L;

  solver.compute(problem.poles, problem.z, problem.rho);
  const Vector values = Eigen::Map<const Eigen::VectorXd>(solver.values().data(), n).cast<long double>();
  const Matrix vectors = Eigen::Map<const Eigen::MatrixXd>(solver.vectors().data(), n, n).cast<long double>();
  EXPECT_TRUE(std::is_sorted(solver.values().rbegin(), solver.values().rend()));

  Errors errors;
  errors.values = (values - expected).cwiseAbs().maxCoeff() / norm;
  errors.orthogonality = (vectors.transpose() * vectors - Matrix::Identity(n, n)).cwiseAbs().maxCoeff();
  errors.residual = (matrix * vectors - vectors * values.asDiagonal()).colwise().norm().maxCoeff() / norm;
  errors.trace = std::fabs(values.sum() - matrix.trace()) / norm;
  errors.interlacing = interlacing_violation(problem, values) / norm;
  return errors;
}

std::size_t draw_order(ProblemSource& source) {
  const std::size_t kind = source.index(50);
  if (kind == 0) return 26 + source.index(35);
  return 1 + source.index(kind < 10 ? 25 : 9);
}

TEST(DenseOracle, AgreesOnOneHundredTwentyThousandOrdinaryAndAdversarialProblems) {
  constexpr int kProblems = 120'000;
  ProblemSource source(20240607);
  RankOneEigen solver(60);
  Errors worst;
  for (int i = 0; i < kProblems; ++i) {
    const Problem problem = source.next(draw_order(source));
    const Errors errors = errors_of(problem, solver);
    worst.raise_to(errors);
    // The roots are good to a few u of the norm; deflation may neglect 16 u in each of n entries (the
    // tolerance is 8 u and scaling may halve the norm). Measured: about 1e-15.
    ASSERT_LE(errors.values, 1e-14L) << "problem " << i;
    ASSERT_LE(errors.residual, 1e-14L) << "problem " << i;
    // Each entry is off by some units of rounding: Loewner's product has 2n factors, n <= 60. Measured:
    // 2e-15.
    ASSERT_LE(errors.orthogonality, 1e-14L) << "problem " << i;
    // n values, each to a few u of the norm.
    ASSERT_LE(errors.trace, 2e-14L) << "problem " << i;
    // A pole that a rotation deflated may overtake a root by what was neglected.
    ASSERT_LE(errors.interlacing, 4e-15L) << "problem " << i;
  }
  RecordProperty("worst", describe(worst));
}

}  // namespace
}  // namespace roipca::secular
