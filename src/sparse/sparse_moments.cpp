#include "sparse/sparse_moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "intake/row_block.hpp"

namespace roipca {
namespace {

// A number with twice the digits of double: the exact value is `high` + `low`.
struct Twofold {
  double high;
  double low;
};

Twofold sum_of(double a, double b) {
  const double high = a + b;
  const double part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

// Veltkamp's splitting: returns the upper half of the digits.
double upper(double a) {
  const double c = 134217729.0 * a;  // 2^27 + 1
  return c - (c - a);
}

Twofold product_of(double a, double b) {
  const double high = a * b;
  const double a1 = upper(a);
  const double b1 = upper(b);
  const double a2 = a - a1;
  const double b2 = b - b1;
  return {high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

Twofold operator+(Twofold a, Twofold b) {
  const Twofold s = sum_of(a.high, b.high);
  return sum_of(s.high, s.low + (a.low + b.low));
}

Twofold operator*(Twofold a, double b) {
  const Twofold p = product_of(a.high, b);
  return sum_of(p.high, p.low + a.low * b);
}

Twofold operator/(Twofold a, Twofold b) {
  const double quotient = a.high / b.high;
  const Twofold back = b * quotient;
  return sum_of(quotient, ((a.high - back.high) - back.low + a.low) / b.high);
}

// Returns the fraction of the mean square that a variance must exceed to be more than the rounding of the two
// sums of which it is the difference. They have twice the digits of double, and their rounding is a random
// walk over the rows.
double rounding_of_squares(std::int64_t rows) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return std::max(64.0, 32.0 * std::sqrt(static_cast<double>(rows))) * kEpsilon * kEpsilon;
}

// Keeps `low` below the rounding of `high`: many such parts in one number would lose digits there.
void add_to(double& high, double& low, Twofold x) {
  const Twofold s = Twofold{high, low} + x;
  high = s.high;
  low = s.low;
}

}  // namespace

template <typename T>
void SparseBlock<T>::visit_state(state::Archive& archive, Index most, Index features) {
  rows.visit_state(archive, most, features);
  weights.resize(static_cast<std::size_t>(rows.count()));
  given.resize(weights.size());
  archive(Eigen::Map<Eigen::VectorXd>(given.data(), rows.count()),
          Eigen::Map<Eigen::VectorXd>(weights.data(), rows.count()), is_alone, weight, weight_pairs, growth,
          rescale);
}

template <typename T>
SparseMoments<T>::SparseMoments(Index features, bool center)
    : center_(center),
      sums_(Eigen::VectorXd::Zero(features)),
      sum_tails_(Eigen::VectorXd::Zero(features)),
      squares_(Eigen::VectorXd::Zero(features)),
      square_tails_(Eigen::VectorXd::Zero(features)) {}

template <typename T>
SparseMoments<T>::SparseMoments(const Model<T>& model)
    : SparseMoments(model.features(), model.options.center) {
  weight_ = model.weight;
  weight_pairs_ = model.weight_pairs;
  total_ = weight_;
  const auto means = as_eigen(model.mean);
  const auto tails = as_eigen(model.mean_tail);
  const auto scatter = as_eigen(model.scatter);
  double largest = 0.0;  // root mean square of a feature
  for (Index j = 0; j < features() && weight_ > 0.0; ++j) {
    largest = std::max(largest, std::hypot(std::sqrt(scatter[j] / weight_), means[j]));
  }
  set_unit(largest);
  for (Index j = 0; j < features(); ++j) {
    const Twofold mean = sum_of(means[j] * unit(), tails[j] * unit());
    const Twofold sum = mean * weight_;
    // sum of w x^2 = scatter + mean (sum of w x)
    const Twofold square = Twofold{scatter[j] * unit() * unit(), 0.0} + (sum * mean.high + sum * mean.low);
    sums_[j] = sum.high;
    sum_tails_[j] = sum.low;
    squares_[j] = square.high;
    square_tails_[j] = square.low;
  }
}

template <typename T>
void SparseMoments<T>::set_unit(double size) {
  if (has_unit_ || size == 0.0) return;
  has_unit_ = true;
  unit_ = std::ldexp(1.0, std::clamp(-std::ilogb(size), -1000, 1000));
}

// See Moments: relative to the weight of such a row, its distance from the mean of a block is rounding.
template <typename T>
bool SparseMoments<T>::outweighs(double weight, double before) const {
  return center_ && before > 0.0 && weight > block_borders::kMuchHeavier * before;
}

template <typename T>
bool SparseMoments<T>::takes(double weight, double forgetting, SparseBlock<T>& block) {
  const bool is_first = block.weights.empty();
  const double before = weight_ * (is_first ? forgetting : block.rescale);
  if (block.is_alone) return false;
  if (!is_first && outweighs(weight * block.growth, before + block.weight)) return false;
  if (is_first) {
    block.rescale = forgetting;
  } else if (forgetting < 1.0) {
    if (block.growth > block_borders::kMostForgotten * forgetting) return false;
    block.growth /= forgetting;
  }
  const double grown = weight * block.growth;
  block.is_alone = is_first && outweighs(grown, before);
  block.given.push_back(weight);
  block.weights.push_back(grown);
  block.weight_pairs += block.weight * grown;
  block.weight += grown;
  return true;
}

template <typename T>
void SparseMoments<T>::forget(double factor) {
  constexpr double kSmallest = 0x1p-300;
  weight_ *= factor;
  weight_pairs_ *= factor * factor;
  scale_ *= factor;
  if (scale_ > kSmallest) return;
  // By a power of two, which is exact.
  const double power = std::ldexp(1.0, std::ilogb(scale_));
  for (auto* sums : {&sums_, &sum_tails_, &squares_, &square_tails_}) *sums *= power;
  total_ *= power;
  total_tail_ *= power;
  scale_ /= power;
}

template <typename T>
double SparseMoments<T>::close(const SparseBlock<T>& block) {
  if (block.rescale != 1.0) forget(block.rescale);
  for (Index i = 0; i < block.rows.count(); ++i) {
    const double weight = block.weights[static_cast<std::size_t>(i)] / scale_;
    add_to(total_, total_tail_, {weight, 0.0});
    const T* values = block.rows.values_of(i);
    const int* indices = block.rows.indices_of(i);
    for (Index e = 0; e < block.rows.length_of(i); ++e) {
      const auto x = static_cast<double>(values[e]);
      const Index j = indices[e];
      if (weight == 1.0) {  // the usual one: the same bits from half the arithmetic
        add_to(sums_[j], sum_tails_[j], {x, 0.0});
        add_to(squares_[j], square_tails_[j], product_of(x, x));
        continue;
      }
      const Twofold weighted = product_of(weight, x);
      add_to(sums_[j], sum_tails_[j], weighted);
      add_to(squares_[j], square_tails_[j], weighted * x);
    }
  }
  weight_pairs_ += block.weight_pairs + weight_ * block.weight;
  weight_ += block.weight;
  const double decay = 1.0 / block.growth;
  if (decay < 1.0) forget(decay);
  return decay;
}

template <typename T>
void SparseMoments<T>::write(Model<T>& model) const {
  const Index d = features();
  model.weight = weight_;
  model.weight_pairs = weight_pairs_;
  for (auto* numbers : {&model.mean, &model.mean_tail, &model.scatter}) {
    numbers->assign(static_cast<std::size_t>(d), 0.0);
  }
  auto means = as_eigen(model.mean);
  auto tails = as_eigen(model.mean_tail);
  auto scatters = as_eigen(model.scatter);
  const Twofold total = sum_of(total_, total_tail_) * scale_;
  const double rounding = rounding_of_squares(model.rows);
  for (Index j = 0; j < d; ++j) {
    if (sums_[j] == 0.0 && squares_[j] == 0.0) continue;  // most features of wide rows
    const Twofold sum = sum_of(sums_[j], sum_tails_[j]) * scale_;
    const Twofold squares = sum_of(squares_[j], square_tails_[j]) * scale_;
    Twofold scatter = squares;
    if (center_ && weight_ > 0.0) {
      const Twofold mean = sum / total;
      means[j] = mean.high / unit();
      tails[j] = mean.low / unit();
      scatter = squares + (sum * -mean.high + sum * -mean.low);
      if (!(scatter.high > rounding * squares.high)) scatter = {0.0, 0.0};
    }
    scatters[j] = (scatter.high + scatter.low) / unit() / unit();
  }
}

template <typename T>
Eigen::VectorXd SparseMoments<T>::mean_squares() const {
  if (weight_ == 0.0) return Eigen::VectorXd::Zero(features());
  return (squares_ + square_tails_) * (scale_ / weight_);
}

template struct SparseBlock<float>;
template struct SparseBlock<double>;
template class SparseMoments<float>;
template class SparseMoments<double>;

}  // namespace roipca
