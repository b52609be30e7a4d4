// Uses the installed library from a separate project that has no Eigen, and checks one number against a batch
// computation.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <roipca/roipca.hpp>
#include <vector>

namespace {

constexpr std::size_t kRows = 200;
constexpr std::size_t kColumns = 5;
constexpr roipca::Index kComponents = 2;

// Waves of amplitudes 8, 4, 2, 1, 1/2: a spectrum that falls fast, so two components are easy.
std::vector<double> waves() {
  std::vector<double> rows;
  for (std::size_t i = 0; i < kRows; ++i) {
    double amplitude = 8.0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      rows.push_back(1.0 + amplitude * std::sin(static_cast<double>((i + 1) * (j + 1))));
      amplitude /= 2.0;
    }
  }
  return rows;
}

// The largest eigenvalue of the covariance matrix, by power iteration.
double leading_variance_of_batch(const std::vector<double>& rows) {
  std::vector<double> mean(kColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) mean[i % kColumns] += rows[i] / double{kRows};
  std::vector<double> direction(kColumns, 1.0);
  double variance = 0.0;
  for (int step = 0; step < 200; ++step) {
    std::vector<double> next(kColumns);
    for (std::size_t i = 0; i < kRows; ++i) {
      double score = 0.0;
      for (std::size_t j = 0; j < kColumns; ++j) {
        score += (rows[i * kColumns + j] - mean[j]) * direction[j];
      }
      for (std::size_t j = 0; j < kColumns; ++j) {
        next[j] += score * (rows[i * kColumns + j] - mean[j]) / double{kRows - 1};
      }
    }
    double squares = 0.0;
    for (const double entry : next) squares += entry * entry;
    variance = std::sqrt(squares);
    for (std::size_t j = 0; j < kColumns; ++j) direction[j] = next[j] / variance;
  }
  return variance;
}

int check() {
  const std::vector<double> rows = waves();
  roipca::OnlinePca<double> pca({.n_components = kComponents});
  pca.partial_fit({rows.data(), kRows, kColumns});
  const std::vector<double> variance = pca.model().explained_variance();

  const double expected = leading_variance_of_batch(rows);
  std::printf("leading explained variance: online %.12g, batch %.12g\n", variance[0], expected);
  const bool agrees = variance.size() == kComponents && variance[0] >= variance[1] &&
                      std::abs(variance[0] - expected) <= 1e-6 * expected;
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
