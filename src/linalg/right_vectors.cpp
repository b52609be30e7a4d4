#include "linalg/right_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/products.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace roipca::linalg {
namespace {

// Each sweep squares the remaining cosines once they are small; one to three are usual.
constexpr int kSweeps = 40;

void rotate(double c, double s, Eigen::Ref<Vector<double>> first, Eigen::Ref<Vector<double>> second) {
  for (Index i = 0; i < first.size(); ++i) {
    const double x = first[i];
    const double y = second[i];
    first[i] = c * x - s * y;
    second[i] = s * x + c * y;
  }
}

// Rotates pairs of columns of `image`, and of `vectors` with them, until each of the first `leading` columns
// of the image is orthogonal to all others, apart from those within rounding of the longest one. Returns
// the lengths of all columns.
Vector<double> orthogonalise(Index leading, Matrix<double>& image, Matrix<double>& vectors) {
  const Index n = image.cols();
  const double tolerance = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  Vector<double> lengths = image.colwise().norm();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    const double noise = tolerance * lengths.maxCoeff();
    for (Index p = 0; p < leading; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        if (!(lengths[p] > noise) || !(lengths[q] > noise)) continue;
        const double cosine = image.col(p).dot(image.col(q)) / lengths[p] / lengths[q];
        if (!(std::abs(cosine) > tolerance)) continue;
        rotated = true;
        // The tangent of the smaller angle that makes them orthogonal, from the ratio of their lengths.
        const double ratio = lengths[q] / lengths[p];
        const double zeta = 0.5 * (ratio - 1.0 / ratio) / cosine;
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1.0 / std::hypot(1.0, t);
        rotate(c, c * t, image.col(p), image.col(q));
        rotate(c, c * t, vectors.col(p), vectors.col(q));
        lengths[p] = image.col(p).norm();
        lengths[q] = image.col(q).norm();
      }
    }
    if (!rotated) break;
  }
  return lengths;
}

}  // namespace

RightVectors right_vectors(const Matrix<double>& a, Index wanted) {
  const Index n = a.cols();
  const Index count = std::min(wanted, n);
  if (count == 0) return {};
  SymmetricEigen eigen(n);
  eigen.compute(product(a.transpose(), a));
  // Far below the largest value, columns are not yet in order, and any of them may become one of the first.
  const bool is_graded = !(eigen.values()[count - 1] > SymmetricEigen::kGraded * eigen.values()[0]);
  const Index leading = is_graded ? n : count;
  Matrix<double> vectors = eigen.vectors(n);
  Matrix<double> image = product(a, vectors);
  const Vector<double> lengths = orthogonalise(leading, image, vectors);

  std::vector<Index> order(static_cast<std::size_t>(leading));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return lengths[i] > lengths[j]; });
  RightVectors sorted{Vector<double>(count), Matrix<double>(n, count)};
  for (Index j = 0; j < count; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    sorted.values[j] = lengths[from];
    sorted.vectors.col(j) = vectors.col(from);
  }
  return sorted;
}

}  // namespace roipca::linalg
