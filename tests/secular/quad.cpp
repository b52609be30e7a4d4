#include "quad.hpp"

#include <algorithm>
#include <numeric>

namespace roipca::secular::testing {

namespace {

using QuadMatrix = std::vector<std::vector<Quad>>;

Quad off_diagonal(const QuadMatrix& matrix) {
  Quad squares = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) squares += matrix[i][j] * matrix[i][j];
  }
  return squares;
}

Quad norm_squared(const QuadMatrix& matrix) {
  Quad squares = 0;
  for (const std::vector<Quad>& row : matrix) {
    for (const Quad entry : row) squares += entry * entry;
  }
  return squares;
}

void annihilate(QuadMatrix& matrix, QuadMatrix& vectors, std::size_t p, std::size_t q) {
  if (matrix[p][q] == 0) return;
  const Quad theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
  const Quad t = (theta < 0 ? -1 : 1) / (magnitude(theta) + square_root(theta * theta + 1));
  const Quad c = 1 / square_root(t * t + 1);
  const Quad s = t * c;
  for (std::vector<Quad>& row : matrix) {
    const Quad x = row[p];
    row[p] = c * x - s * row[q];
    row[q] = s * x + c * row[q];
  }
  for (QuadMatrix* rows : {&matrix, &vectors}) {
    for (std::size_t k = 0; k < matrix.size(); ++k) {
      const Quad x = (*rows)[p][k];
      (*rows)[p][k] = c * x - s * (*rows)[q][k];
      (*rows)[q][k] = s * x + c * (*rows)[q][k];
    }
  }
}

}  // namespace

QuadEigen jacobi(QuadMatrix matrix) {
  const std::size_t n = matrix.size();
  QuadMatrix vectors(n, std::vector<Quad>(n, 0));
  for (std::size_t i = 0; i < n; ++i) vectors[i][i] = 1;
  const Quad negligible = norm_squared(matrix) * 1e-66;
  for (int sweep = 0; sweep < 50 && off_diagonal(matrix) > negligible; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) annihilate(matrix, vectors, p, q);
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return matrix[a][a] > matrix[b][b]; });
  QuadEigen result;
  for (const std::size_t i : order) {
    result.values.push_back(matrix[i][i]);
    result.vectors.push_back(vectors[i]);
  }
  return result;
}

}  // namespace roipca::secular::testing
