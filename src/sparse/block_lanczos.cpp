#include "sparse/block_lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/products.hpp"

namespace roipca {
namespace {

// Fraction of a product's length below which no part of it is outside of the basis.
constexpr double kNothing = 1e-10;
// Fraction of its length that a vector must keep to be orthogonal to rounding after one orthogonalisation.
constexpr double kLeastLeft = 0.7;
// Cosine of two vectors that are orthogonal to rounding.
constexpr double kOrthogonal = 4.0 * std::numeric_limits<double>::epsilon();

Index most_vectors(Index length, Index wanted) {
  return std::min(length, 4 * wanted + 2 * BlockLanczos::kAtOnce);
}

}  // namespace

BlockLanczos::BlockLanczos(Index length, Index wanted)
    : length_(length),
      wanted_(std::min(wanted, length)),
      most_(most_vectors(length, wanted_)),
      basis_(most_, length),
      next_(kAtOnce, length),
      images_(kAtOnce, length),
      sum_(kAtOnce, length),
      projected_(most_, most_),
      dots_(most_, kAtOnce),
      panel_(simd::panel_size<double>(most_)),
      eigen_(most_) {}

// xorshift (Marsaglia 2003).
std::uint64_t BlockLanczos::random_bits() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

// Fills a row with random numbers between -1 and 1.
void BlockLanczos::draw(double* row) {
  for (Index i = 0; i < length_; ++i) {
    row[i] = static_cast<double>(static_cast<std::int64_t>(random_bits())) * 0x1p-63;
  }
}

void BlockLanczos::start(const simd::AlignedRows<double>& vectors, Index count, const Products& products) {
  for (Index from = 0; from < count && size_ < most_; from += kAtOnce) {
    const Index width = std::min(kAtOnce, count - from);
    for (Index i = 0; i < width; ++i) std::copy_n(vectors.row(from + i), length_, next_.row(i));
    append(width, false, products);
    // With random signs, so that nothing cancels except by chance.
    for (Index i = 0; i < width; ++i) {
      const double sign = random_bits() >> 63 == 0 ? 1.0 : -1.0;
      Eigen::Map<Vector<double>>(sum_.row(i), length_) +=
          sign * Eigen::Map<const Vector<double>>(images_.row(i), length_);
    }
    has_sum_ = true;
  }
}

void BlockLanczos::solve(const Products& products) {
  const bool has_start = size_ > 0;
  const Index step = std::max(kAtOnce, wanted_ / 2);
  const Index residual_step = std::max(2 * kAtOnce, wanted_ / 8);
  Index check = std::max(size_ + step, 2 * wanted_);
  Index residual_check = has_start ? most_ : wanted_ + step;
  double known = 0.0;
  for (;;) {
    if (size_ < most_) extend(products);
    if (size_ < std::min({check, residual_check, most_})) continue;
    const double sum = solve_projected();
    if (size_ == most_ || (!has_start && residual() <= kResidual)) break;
    if (!has_start) residual_check = size_ + residual_step;
    if (size_ < check) continue;
    if (known > 0.0 && sum - known <= kTolerance * sum) break;
    known = sum;
    check = size_ + step;
  }
  count_ = wanted_;
  RowMatrix<double> coefficients = eigen_.vectors(count_);
  simd::table<double>().rotate(basis_.row(0), basis_.stride(), size_, {basis_.row(0), 0, 0},
                               coefficients.data(), coefficients.cols(), count_, basis_.padded_length(),
                               panel_.data());
}

// Adds the last products, or the sum of the first ones, or random vectors to the basis.
void BlockLanczos::extend(const Products& products) {
  const bool is_first = size_ == 0;
  const bool are_images = !is_first && !has_sum_;
  for (Index i = 0; i < kAtOnce; ++i) {
    if (is_first) {
      draw(next_.row(i));
    } else {
      std::copy_n(has_sum_ ? sum_.row(i) : images_.row(i), length_, next_.row(i));
    }
  }
  has_sum_ = false;
  append(std::min(kAtOnce, most_ - size_), are_images, products);
}

// Returns whether the first vectors of next_ have the products dots_ with the basis, and these are rounding.
bool BlockLanczos::are_orthogonal(Index count) const {
  for (Index i = 0; i < count; ++i) {
    const double most = dots_.col(i).head(size_).cwiseAbs().maxCoeff();
    if (most > kOrthogonal * Eigen::Map<const Vector<double>>(next_.row(i), length_).norm()) return false;
  }
  return true;
}

// Adds the first vectors of next_ to the basis, and multiplies them. `has_dots` if dots_ has their products
// with the basis.
void BlockLanczos::append(Index count, bool has_dots, const Products& products) {
  const auto& loops = simd::table<double>();
  Index added = 0;
  Vector<double> lengths(count);
  for (Index i = 0; i < count; ++i) lengths[i] = Eigen::Map<Vector<double>>(next_.row(i), length_).norm();
  for (int pass = 0; pass < 2 && size_ > 0; ++pass) {
    if (pass > 0 || !has_dots) {
      loops.dots(basis_.view(size_), next_.view(count), basis_.padded_length(), dots_.data(), dots_.cols());
    }
    if (pass > 0 && are_orthogonal(count)) break;
    dots_.topRows(size_) *= -1.0;
    loops.add_rows(next_.row(0), next_.stride(), 0, basis_.view(size_), dots_.data(), dots_.cols(), count,
                   basis_.padded_length(), panel_.data());
  }
  for (Index i = 0; i < count && size_ + added < most_; ++i) {
    Eigen::Map<Vector<double>> vector(next_.row(i), length_);
    for (int tries = 0;; ++tries) {
      // Against the other new vectors; random ones also against the basis.
      const Index from = tries == 0 ? size_ : 0;
      double left = vector.norm();
      for (int pass = 0; pass < 2; ++pass) {
        for (Index j = from; j < size_ + added; ++j) {
          const Eigen::Map<const Vector<double>> other(basis_.row(j), length_);
          vector -= other.dot(vector) * other;
        }
        const double before = left;
        left = vector.norm();
        if (left > kLeastLeft * before) break;  // nothing was lost to cancellation
      }
      if (left > kNothing * lengths[i]) {
        vector /= left;
        break;
      }
      draw(next_.row(i));
      lengths[i] = vector.norm();
    }
    std::copy_n(next_.row(i), length_, basis_.row(size_ + added));
    ++added;
  }
  for (Index i = 0; i < added; ++i) std::copy_n(basis_.row(size_ + i), length_, next_.row(i));
  products(next_, images_, added);
  const Index before = size_;
  added_ = added;
  size_ += added;
  loops.dots(basis_.view(size_), images_.view(added), basis_.padded_length(), dots_.data(), dots_.cols());
  for (Index j = 0; j < added; ++j) {
    for (Index i = 0; i < size_; ++i) projected_(i, before + j) = projected_(before + j, i) = dots_(i, j);
  }
}

// Returns the sum of the first half of the wanted eigenvalues.
double BlockLanczos::solve_projected() {
  eigen_.matrix(size_) = projected_.topLeftCorner(size_, size_);
  eigen_.solve(size_);
  return eigen_.values().head((wanted_ + 1) / 2).sum();
}

// Returns the root mean square of |A u - theta u| / theta for the first half of the eigenpairs. Only the
// products of the last vectors leave the basis.
double BlockLanczos::residual() const {
  const Index half = (wanted_ + 1) / 2;
  const auto images = images_.columns(added_);
  const auto inside = dots_.topLeftCorner(size_, added_);
  Matrix<double> outside = linalg::product(images.transpose(), images);
  linalg::add_product(-1.0, inside.transpose(), inside, outside);
  const Matrix<double> last = eigen_.vectors(half).bottomRows(added_);
  double sum = 0.0;
  for (Index i = 0; i < half; ++i) {
    const double theta = eigen_.values()[i];
    sum += std::max(last.col(i).dot(linalg::apply(outside, last.col(i))), 0.0) / (theta * theta);
  }
  return std::sqrt(sum / static_cast<double>(half));
}

}  // namespace roipca
