#include "dense/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace roipca {
namespace {

constexpr int kMostSweeps =
    60;  // a value takes two on average; theory and practice know of none that took ten

}  // namespace

SymmetricEigen::SymmetricEigen(Index max_order)
    : vectors_(max_order, max_order),
      values_(Vector<double>::Zero(max_order)),
      off_diagonal_(Vector<double>::Zero(max_order)),
      scratch_(Vector<double>::Zero(max_order)) {}

void SymmetricEigen::compute(const Eigen::Ref<const Matrix<double>>& matrix) {
  order_ = matrix.rows();
  if (order_ == 0) return;
  // Scaled by a power of two, so that squares of entries stay in range.
  double largest = 0.0;
  for (Index j = 0; j < order_; ++j) {
    largest = std::max(largest, matrix.col(j).tail(order_ - j).cwiseAbs().maxCoeff());
  }
  const double scale = largest > 0.0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
  auto a = vectors_.topLeftCorner(order_, order_);
  for (Index j = 0; j < order_; ++j) a.col(j).tail(order_ - j) = scale * matrix.col(j).tail(order_ - j);
  tridiagonalise();
  diagonalise();
  sort();
  values_.head(order_) /= scale;
}

// A <- Q^T A Q, column by column: the reflector of column j, I - h u u^T, lives in a.col(j) below the
// diagonal until Q is accumulated in place.
void SymmetricEigen::tridiagonalise() {
  const Index n = order_;
  auto a = vectors_.topLeftCorner(n, n);
  auto factors = values_.head(n);  // h of each reflector, until the diagonal takes the place
  for (Index j = 0; j + 1 < n; ++j) {
    const Index m = n - j - 1;
    auto u = a.col(j).tail(m);
    const double tail = m > 1 ? u.tail(m - 1).squaredNorm() : 0.0;
    const double head = u[0];
    if (tail == 0.0) {
      factors[j] = 0.0;
      off_diagonal_[j] = head;
      continue;
    }
    const double norm = std::copysign(std::sqrt(head * head + tail), head);
    // u = x + norm e_1, scaled to u_0 = 1: reflects x into -norm e_1.
    u.tail(m - 1) /= head + norm;
    u[0] = 1.0;
    const double h = (head + norm) / norm;
    auto block = a.bottomRightCorner(m, m);
    auto p = scratch_.head(m);
    p.noalias() = block.selfadjointView<Eigen::Lower>() * (h * u);
    p -= (0.5 * h * p.dot(u)) * u;
    block.selfadjointView<Eigen::Lower>().rankUpdate(u, p, -1.0);
    factors[j] = h;
    off_diagonal_[j] = -norm;
  }
  // Backwards, so that each reflector meets only the part of Q that is not yet the identity.
  scratch_.head(n) = a.diagonal();
  for (Index j = n - 1; j >= 0; --j) {
    const Index m = n - j - 1;
    const double h = m > 0 ? factors[j] : 0.0;
    if (h != 0.0) {
      const auto u = a.col(j).tail(m);
      for (Index c = j + 1; c < n; ++c) {
        auto column = a.col(c).tail(m);
        column -= (h * u.dot(column)) * u;
      }
    }
    a.col(j).setZero();
    a.row(j).tail(m).setZero();
    a(j, j) = 1.0;
  }
  values_.head(n) = scratch_.head(n);
}

// Implicit QL: chases a bulge from the bottom of each unreduced block up, and applies its rotations to the
// vectors.
void SymmetricEigen::diagonalise() {
  const Index n = order_;
  auto& d = values_;
  auto& e = off_diagonal_;
  e[n - 1] = 0.0;
  for (Index l = 0; l < n; ++l) {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      Index m = l;
      for (; m + 1 < n; ++m) {
        if (std::abs(e[m]) <= std::numeric_limits<double>::epsilon() * (std::abs(d[m]) + std::abs(d[m + 1])))
          break;
      }
      if (m == l) break;
      double g = (d[l + 1] - d[l]) / (2.0 * e[l]);
      double r = std::hypot(g, 1.0);
      g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
      double s = 1.0;
      double c = 1.0;
      double p = 0.0;
      bool split = false;
      for (Index i = m - 1; i >= l; --i) {
        const double f = s * e[i];
        const double b = c * e[i];
        r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == 0.0) {
          d[i + 1] -= p;
          e[m] = 0.0;
          split = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        double* left = vectors_.col(i).data();
        double* right = vectors_.col(i + 1).data();
        for (Index k = 0; k < n; ++k) {
          const double kept = right[k];
          right[k] = s * left[k] + c * kept;
          left[k] = c * left[k] - s * kept;
        }
      }
      if (split) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0.0;
    }
  }
}

void SymmetricEigen::sort() {
  for (Index i = 0; i + 1 < order_; ++i) {
    Index best = i;
    for (Index j = i + 1; j < order_; ++j) {
      if (values_[j] > values_[best]) best = j;
    }
    if (best == i) continue;
    std::swap(values_[i], values_[best]);
    vectors_.col(i).head(order_).swap(vectors_.col(best).head(order_));
  }
}

}  // namespace roipca
