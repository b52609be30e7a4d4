#include "kernel_pca/landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "linalg/symmetric_eigen.hpp"
#include "roipca/errors.hpp"

namespace roipca {
namespace {

// Error of k(x, x) - |y|^2 in roundings; 1 was observed.
constexpr double kRoundings = 4.0;
// A distance that is negative by more than these multiples of that error, or of k(x, x), shows that the
// kernel is not an inner product.
constexpr double kBeyondRounding = 16.0;
constexpr double kIndefinite = 1e-5;
// A landmark is nearly dependent on the others if its part of a row's projection is longer than this many
// times the row.
constexpr double kDependent = 2.0;

void refuse_indefinite(double diagonal, double projected) {
  std::ostringstream text;
  text << "kernel is not positive semi-definite: k(x, x) = " << diagonal << " is less than " << projected
       << ", the value for its projection onto the kept rows";
  throw KernelError(text.str());
}

}  // namespace

Landmarks::Landmarks(Index budget, double tolerance, bool center)
    : budget_(budget),
      tolerance_(tolerance),
      center_(center),
      factor_(Matrix<double>::Zero(budget + 1, budget + 1)),
      scatter_(Matrix<double>::Zero(budget + 1, budget + 1)),
      mean_(Vector<double>::Zero(budget + 1)),
      lengths_(Vector<double>::Zero(budget + 1)),
      y_(Vector<double>::Zero(budget + 1)),
      terms_(Vector<double>::Zero(budget + 1)),
      inverse_(budget + 1, budget + 1),
      products_(budget + 1, budget + 1) {}

std::optional<Index> Landmarks::add(const Eigen::Ref<const Vector<double>>& column, double diagonal,
                                    double rounding) {
  const double rest = project(column, diagonal);
  const double reach = std::sqrt(std::max(diagonal, 0.0)) + terms_.head(size_).sum();
  const double noise = kRoundings * rounding * reach * reach;
  if (!(diagonal >= 0.0) || rest < -std::max(kIndefinite * diagonal, kBeyondRounding * noise)) {
    refuse_indefinite(diagonal, diagonal - rest);
  }
  total_ += diagonal;
  const double wanted = tolerance_ * tolerance_ * diagonal;
  if (rest > std::max(wanted, noise)) {
    push(rest, diagonal);
    absorb();
    if (size_ <= budget_) return std::nullopt;
    const Index place = cheapest();
    remove(place);
    return place;
  }
  Index place = 0;
  if (noise > wanted && size_ > 0 && terms_.head(size_).maxCoeff(&place) > kDependent * std::sqrt(diagonal)) {
    exchange(place, column, std::max(rest, 0.0), diagonal);
    return place;
  }
  lost_ += std::max(rest, 0.0);
  absorb();
  return size_;
}

// Computes y and the terms, and returns the squared distance from the span.
double Landmarks::project(const Eigen::Ref<const Vector<double>>& column, double diagonal) {
  const auto l = factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>();
  auto y = y_.head(size_);
  auto terms = terms_.head(size_);
  y = column;
  l.solveInPlace(y);
  terms = y;
  l.transpose().solveInPlace(terms);
  terms.array() = terms.array().abs() * lengths_.head(size_).array();
  return diagonal - y.squaredNorm();
}

// Makes the row the last landmark, with the coordinates y_ and `rest` for the new one.
void Landmarks::push(double rest, double diagonal) {
  y_[size_] = std::sqrt(rest);
  lengths_[size_] = std::sqrt(diagonal);
  ++size_;
  factor_.row(size_ - 1).head(size_) = y_.head(size_).transpose();
  mean_[size_ - 1] = 0.0;
  scatter_.row(size_ - 1).head(size_).setZero();
  scatter_.col(size_ - 1).head(size_).setZero();
}

// Replaces a landmark whose coefficient in the row's projection is too large for `rest` to be known. Without
// that landmark it is known: the coordinates of the row are computed again and become the last row of L.
void Landmarks::exchange(Index place, const Eigen::Ref<const Vector<double>>& column, double rest,
                         double diagonal) {
  push(rest, diagonal);
  absorb();
  remove(place);
  const Index others = size_ - 1;
  auto y = y_.head(others);
  y.head(place) = column.head(place);
  y.tail(others - place) = column.tail(others - place);
  factor_.topLeftCorner(others, others).triangularView<Eigen::Lower>().solveInPlace(y);
  const double left = diagonal - y.squaredNorm();
  if (!(left > 0.0)) return;  // no kernel does this; the first coordinates of the row are as good
  factor_.row(others).head(others) = y.transpose();
  factor_(others, others) = std::sqrt(left);
}

// Adds the row with the coordinates y_ to mean and scatter (Welford).
void Landmarks::absorb() {
  auto y = y_.head(size_);
  auto scatter = scatter_.topLeftCorner(size_, size_);
  const auto before = static_cast<double>(rows_++);
  if (!center_) {
    scatter.noalias() += y * y.transpose();
    return;
  }
  y -= mean_.head(size_);
  scatter.noalias() += (before / (before + 1.0)) * (y * y.transpose());
  mean_.head(size_) += y / (before + 1.0);
}

// Returns the landmark whose removal loses least of the projections of all rows. L w_j = e_j means that w_j
// is orthogonal to all landmarks except j, so the projections lose their part along w_j.
Index Landmarks::cheapest() {
  auto inverse = inverse_.topLeftCorner(size_, size_);
  auto products = products_.topLeftCorner(size_, size_);
  inverse.setIdentity();
  factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(inverse);
  products.noalias() = scatter_.topLeftCorner(size_, size_) * inverse.triangularView<Eigen::Lower>();
  const auto rows = static_cast<double>(rows_);
  Index place = 0;
  double least = 0.0;
  for (Index j = 0; j < size_; ++j) {
    const auto w = inverse.col(j);
    const double along_mean = w.dot(mean_.head(size_));
    const double loss = (w.dot(products.col(j)) + rows * along_mean * along_mean) / w.squaredNorm();
    if (j > 0 && loss >= least) continue;
    least = loss;
    place = j;
  }
  return place;
}

// Without one row, L has one entry above the diagonal in each row from there on. Rotations of neighbouring
// coordinates remove these entries and move the part that the others do not span into the last coordinate,
// which is dropped.
void Landmarks::remove(Index place) {
  const Index last = size_ - 1;
  for (Index i = place; i < last; ++i) {
    factor_.row(i).head(i + 2) = factor_.row(i + 1).head(i + 2);
    lengths_[i] = lengths_[i + 1];
  }
  const auto turn = [](auto&& a, auto&& b, double cosine, double sine) {
    for (Index k = 0; k < a.size(); ++k) {
      const double x = a[k];
      a[k] = cosine * x + sine * b[k];
      b[k] = cosine * b[k] - sine * x;
    }
  };
  for (Index i = place; i < last; ++i) {
    const double length = std::hypot(factor_(i, i), factor_(i, i + 1));
    const double cosine = factor_(i, i) / length;
    const double sine = factor_(i, i + 1) / length;
    turn(factor_.col(i).segment(i, last - i), factor_.col(i + 1).segment(i, last - i), cosine, sine);
    turn(scatter_.col(i).head(size_), scatter_.col(i + 1).head(size_), cosine, sine);
    turn(scatter_.row(i).head(size_), scatter_.row(i + 1).head(size_), cosine, sine);
    turn(mean_.segment(i, 1), mean_.segment(i + 1, 1), cosine, sine);
  }
  lost_ += scatter_(last, last) + static_cast<double>(rows_) * mean_[last] * mean_[last];
  --size_;
}

Landmarks::Eigenpairs Landmarks::eigenpairs() const {
  if (size_ == 0) return {};
  linalg::SymmetricEigen eigen(size_);
  eigen.compute(scatter_.topLeftCorner(size_, size_));
  Eigenpairs pairs{eigen.values(), eigen.vectors(size_)};
  factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(pairs.duals);
  return pairs;
}

Vector<double> Landmarks::mean_values() const {
  return factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>() * mean_.head(size_);
}

void Landmarks::visit_state(state::Archive& archive) {
  archive.count(size_, budget_);
  archive(rows_, total_, lost_, factor_.topLeftCorner(size_, size_), scatter_.topLeftCorner(size_, size_),
          mean_.topRows(size_), lengths_.topRows(size_));
}

}  // namespace roipca
