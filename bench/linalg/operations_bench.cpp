// How long each operation on small matrices takes, at every level that the machine has: `make bench-linalg`.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>

#include "linalg/eigen_types.hpp"
#include "linalg/operations.hpp"
#include "linalg/right_vectors.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace roipca::linalg {
namespace {

Matrix<double> normal_numbers(Index rows, Index columns) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> number;
  Matrix<double> a(rows, columns);
  for (double& x : a.reshaped()) x = number(random);
  return a;
}

Matrix<double> scatter_matrix(Index order) {
  const Matrix<double> a = normal_numbers(order, order);
  return a * a.transpose();
}

void eigen_solver(benchmark::State& state, simd::Level level) {
  const Index n = state.range(0);
  const Index stride = (n + 7) / 8 * 8;
  Matrix<double> given = Matrix<double>::Zero(stride, n);
  given.topRows(n) = scatter_matrix(n);
  Matrix<double> vectors = given;
  Vector<double> values(stride);
  Vector<double> work(kEigenWork * stride);
  for (auto _ : state) {
    vectors = given;
    operations(level).eigen_solver(n, vectors.data(), stride, values.data(), work.data());
    benchmark::DoNotOptimize(values.data());
  }
}

// A block of a long stream whose variances fall like 1 / i.
void leading_solver(benchmark::State& state, simd::Level level) {
  const Index k = state.range(0);
  const Index b = state.range(1);
  const Index features = 10 * k;
  constexpr double kRowsBefore = 20'000.0;
  const Index stride = (k + 7) / 8 * 8;
  Matrix<double> x = normal_numbers(features, b);
  for (Index i = 0; i < features; ++i) x.row(i) /= std::sqrt(static_cast<double>(i + 1));
  const RowMatrix<double> dots = x.topRows(k).transpose();
  const RowMatrix<double> products = x.transpose() * x;
  Matrix<double> scatter = Matrix<double>::Zero(stride, k);
  for (Index i = 0; i < k; ++i) scatter(i, i) = kRowsBefore / static_cast<double>(i + 1);
  Matrix<double> inner = scatter;
  Matrix<double> normal = scatter;
  Matrix<double> coefficients(k + b, k);
  Vector<double> work(operations(level).leading_work(k, b));
  for (auto _ : state) {
    inner = scatter;
    normal.setIdentity();
    const auto taking_part =
        operations(level).leading_solver({.k = k,
                                          .b = b,
                                          .least = scatter(k - 1, k - 1),
                                          .unheld = kRowsBefore / static_cast<double>(5 * k),
                                          .tolerance = 0x1p-40,
                                          .inner = inner.data(),
                                          .normal = normal.data(),
                                          .stride = stride,
                                          .dots = dots.data(),
                                          .dots_stride = dots.cols(),
                                          .products = products.data(),
                                          .products_stride = products.cols(),
                                          .coefficients = coefficients.data(),
                                          .coefficients_stride = coefficients.rows(),
                                          .work = work.data()});
    if (taking_part == kNoStep) state.SkipWithError("no step");
  }
  state.SetItemsProcessed(state.iterations() * b);  // rows
}

void right_vectors_of(benchmark::State& state) {
  const Matrix<double> a = normal_numbers(state.range(0), state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(right_vectors(a).values.data());
}

void symmetric_eigen(benchmark::State& state) {
  const Index n = state.range(0);
  const Matrix<double> given = scatter_matrix(n);
  SymmetricEigen eigen(n);
  for (auto _ : state) {
    eigen.compute(given);
    benchmark::DoNotOptimize(eigen.values().data());
  }
}

// Variances over twelve decades, where the small ones are to be right as well.
void symmetric_eigen_of_a_wide_spectrum(benchmark::State& state) {
  const Index n = state.range(0);
  Matrix<double> a = scatter_matrix(n);
  for (Index i = 0; i < n; ++i) {
    const double size = std::pow(1e-6, static_cast<double>(i) / static_cast<double>(n));
    a.row(i) *= size;
    a.col(i) *= size;
  }
  SymmetricEigen eigen(n);
  for (auto _ : state) {
    eigen.matrix(n) = a;
    benchmark::DoNotOptimize(eigen.solve_positive(n, n, 1e-14));
  }
}

}  // namespace
}  // namespace roipca::linalg

int main(int argc, char** argv) {
  using namespace roipca;
  for (const simd::Level level : simd::available_levels()) {
    const std::string name(simd::name(level));
    benchmark::RegisterBenchmark(("eigen_solver/" + name).c_str(), linalg::eigen_solver, level)
        ->Arg(20)
        ->Arg(100)
        ->Arg(400);
    benchmark::RegisterBenchmark(("leading_solver/" + name).c_str(), linalg::leading_solver, level)
        ->Args({20, 24})
        ->Args({100, 64})
        ->Args({356, 192});
  }
  benchmark::RegisterBenchmark("symmetric_eigen", linalg::symmetric_eigen)->Arg(20)->Arg(100)->Arg(400);
  benchmark::RegisterBenchmark("symmetric_eigen_of_a_wide_spectrum",
                               linalg::symmetric_eigen_of_a_wide_spectrum)
      ->Arg(20)
      ->Arg(100);
  benchmark::RegisterBenchmark("right_vectors", linalg::right_vectors_of)->Arg(20)->Arg(100);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
