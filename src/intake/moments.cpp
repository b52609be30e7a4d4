#include "intake/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "simd/table.hpp"

namespace roipca {
namespace {

// Range of |v|^2 that needs no new unit: products of four such numbers stay finite in T. The first row that
// is not 0 always sets the unit, so that multiplying all rows by a power of two changes no bit and no
// comparison with a number.
template <typename T>
constexpr double kHigh = std::is_same_v<T, float> ? 0x1p30 : 0x1p250;
template <typename T>
constexpr double kLow = std::is_same_v<T, float> ? 0x1p-30 : 0x1p-250;

// A |v|^2 below this is negligible compared with earlier rows, which are above kLow; v would lose its digits
// to underflow.
template <typename T>
constexpr double kNothing = std::is_same_v<T, float> ? 0x1p-150 : 0x1p-800;

constexpr Index kGroup = 8;  // rows that are collected at once

template <typename T>
bool needs_unit(double squared, double peak) {
  return !(squared <= kHigh<T>) || (squared < kLow<T> && peak < kLow<T>) || (squared > 0.0 && peak == 0.0);
}

// Returns whether no square that matters has left double's range: then a power of two changes no bit of their
// sum.
bool is_exact(double squared) { return squared > 0x1p-900 && squared < 0x1p900; }

// |scale delta|^2.
double squared_norm(const Vector<double>& delta, double scale) {
  Vector<double> mean = Vector<double>::Zero(delta.size());
  Vector<double> tail = mean;
  Vector<double> same = mean;
  return simd::table<double>().centre({delta.data(), mean.data(), tail.data(), same.data()}, delta.size(),
                                      0.0, scale);
}

double power_of_two(int exponent) { return std::ldexp(1.0, std::clamp(exponent, -1000, 1000)); }

}  // namespace

template <typename T>
Moments<T>::Moments(Index features, const Options& options)
    : center_(options.center),
      begins_at_origin_(options.missing == Missing::kImpute),
      mean_(Vector<double>::Zero(features)),
      mean_tail_(Vector<double>::Zero(features)),
      scatter_(Vector<double>::Zero(features)),
      delta_(features) {}

template <typename T>
Moments<T>::Moments(const Model<T>& model)
    : center_(model.options.center),
      begins_at_origin_(model.options.missing == Missing::kImpute),
      weight_(model.weight),
      weight_pairs_(model.weight_pairs),
      mean_(as_eigen(model.mean)),
      mean_tail_(as_eigen(model.mean_tail)),
      scatter_(as_eigen(model.scatter)),
      observed_(as_eigen(model.feature_weight)),
      delta_(model.features()) {
  const double trace = model.trace();
  if (trace > 0.0 && (trace > kHigh<T> || trace < kLow<T>)) unit_ = power_of_two(-std::ilogb(trace) / 2);
  scatter_ *= unit_;
  scatter_ *= unit_;
  peak_ = std::min(trace * unit_ * unit_, kHigh<T>);
}

template <typename T>
void Moments<T>::forget(double factor) {
  weight_ *= factor;
  weight_pairs_ *= factor * factor;
  scatter_ *= factor;
  peak_ *= factor;
  observed_ *= factor;
}

template <typename T>
typename Moments<T>::Joint Moments<T>::merge(const Moments& other, double decay) {
  forget(decay);
  const double total = weight_ + other.weight_;
  const Vector<double> jump = (other.mean_ - mean_) + (other.mean_tail_ - mean_tail_);
  Vector<double> step = std::sqrt(weight_ / total * other.weight_) * jump;
  const double step_size = step.cwiseAbs().maxCoeff();
  double rescale = decay;
  if (other.unit_ != unit_ || needs_unit<T>((unit_ * step).squaredNorm(), peak_)) {
    rescale *= fit_unit(std::max(step_size, std::sqrt(other.peak_) / other.unit_));
  }
  step *= unit_;
  const double ratio = unit_ / other.unit_;
  // Overflows only if the other rows do not vary.
  const double factor = std::min(ratio * ratio, std::numeric_limits<double>::max());

  scatter_ += other.scatter_ * factor + step.cwiseAbs2();
  peak_ = std::max({peak_, other.peak_ * factor, step.squaredNorm()});
  weight_pairs_ += other.weight_pairs_ + weight_ * other.weight_;
  const Vector<double> moved = mean_tail_ + other.weight_ / total * jump;
  const Vector<double> mean = mean_ + moved;
  mean_tail_ = moved - (mean - mean_);
  mean_ = mean;
  weight_ = total;
  return {rescale, factor, std::move(step)};
}

// Sets a unit in which a row of this size has size 1, or in which the earlier rows have if they are larger:
// with forgetting, these can have become small and still be far larger than the row. Returns the factor by
// which quadratic quantities change.
template <typename T>
double Moments<T>::fit_unit(double row_size) {
  const double size = std::max(row_size, std::sqrt(peak_) / unit_);
  if (size == 0.0) return 1.0;
  const double unit = power_of_two(-std::ilogb(size));
  const double ratio = unit / unit_;
  // Overflows only if there was nothing before, and 0 times a finite number is 0.
  const double factor = std::min(ratio * ratio, std::numeric_limits<double>::max());
  unit_ = unit;
  scatter_ *= factor;
  peak_ *= factor;
  return factor;
}

template <typename T>
void Moments<T>::add(const T* row, double weight, double forgetting, RowBlock<T>& block) {
  if (forgetting < 1.0) {
    forget(forgetting);
    block.rescale *= forgetting;
  }
  const auto& kernel = simd::table<T>();
  const double total = weight_ + weight;
  const double gain = std::sqrt(center_ ? weight_ / total * weight : weight);
  const double share = center_ ? weight / total : 0.0;

  double squared =
      kernel.centre({row, mean_.data(), mean_tail_.data(), delta_.data()}, features(), share, gain * unit_);
  if (needs_unit<T>(squared, peak_)) {
    const double factor = fit_unit(gain * delta_.cwiseAbs().maxCoeff());
    block.rescale *= factor;
    if (factor != 1.0) squared = is_exact(squared) ? squared * factor : squared_norm(delta_, gain * unit_);
  }
  if (squared < kNothing<T>) squared = 0.0;
  peak_ = std::max(peak_, squared);
  kernel.scale_and_square(delta_.data(), features(), gain * unit_, block.rows.row(0), scatter_.data());
  block.roots[0] = gain;
  block.count = 1;
  block.weight = weight;
  block.squared_norm = squared;
  block.pull = 0.0;
  block.weight_before = weight_;
  block.unit = unit_;
  block.decay = 1.0;
  block.freedom = freedom();
  block.is_recentred = false;
  weight_pairs_ += weight_ * weight;
  block.pairs_share = weight_pairs_ > 0.0 ? weight_ * weight / weight_pairs_ : 0.0;
  weight_ = total;
}

// Writes rows into the block from `first` on. Rows with weight 0 in `weights` add nothing to the total.
template <typename T>
void Moments<T>::place(simd::RowsView<T> x, Index first, const double* weights, RowBlock<T>& block,
                       double* squares) {
  double scales[kGroup];
  for (Index i = 0; i < x.count; ++i) scales[i] = block.roots[first + i] * unit_;
  simd::table<T>().collect(x,
                           {mean_.data(), mean_tail_.data(), weights, scales, block.total.data(),
                            block.rows.row(first), block.rows.stride(), squares},
                           features());
}

// Chooses a unit for row x, the i-th of the block, and converts the rows before it to that unit. Returns
// whether the unit has changed.
template <typename T>
bool Moments<T>::change_unit(const T* x, Index i, RowBlock<T>& block) {
  const Eigen::Map<const Vector<T>> row(x, features());
  const double largest = ((row.template cast<double>() - mean_) - mean_tail_).cwiseAbs().maxCoeff();
  const double factor = fit_unit(block.roots[i] * largest);
  if (factor == 1.0) return false;
  block.rescale *= factor;
  auto rows = block.rows.columns(i);
  rows = (rows.template cast<double>() * std::sqrt(factor)).template cast<T>();
  return true;
}

template <typename T>
Index Moments<T>::collect(simd::RowsView<T> x, const double* weights, double forgetting, RowBlock<T>& block) {
  if (center_ && !begins_at_origin_ && weight_ == 0.0 && block.count == 0) {
    // Until there is a mean, the first row is as good a reference as any.
    mean_ = Eigen::Map<const Vector<T>>(x.data, features()).template cast<double>();
  }
  constexpr double kNone[kGroup] = {};
  Index done = 0;
  while (done < x.count && !block.full()) {
    simd::RowsView<T> group = {x.data + done * x.stride, x.stride, 0};
    double weight[kGroup];
    double squares[kGroup];
    while (group.count < kGroup && done + group.count < x.count &&
           block.count + group.count < block.capacity()) {
      const Index here = block.count + group.count;
      const double given = weights == nullptr ? 1.0 : weights[done + group.count];
      if (here == 1 && outweighs(block.weight, weight_)) break;
      if (here > 0 && outweighs(given * block.growth, weight_ + block.weight)) break;
      if (forgetting < 1.0 && !grow(forgetting, here == 0, block)) break;
      const Index i = group.count++;
      weight[i] = given * block.growth;
      block.weight_pairs += block.weight * weight[i];
      block.weight += weight[i];
      const bool is_alone = here == 0 && outweighs(weight[i], weight_);
      block.roots[here] = std::sqrt(is_alone ? weight_ / (weight_ + weight[i]) * weight[i] : weight[i]);
    }
    if (group.count == 0) break;
    place(group, block.count, weight, block, squares);
    for (Index i = 0; i < group.count; ++i) {
      const Index here = block.count + i;
      const T* row = group.data + i * x.stride;
      if (needs_unit<T>(squares[i], peak_) && change_unit(row, here, block)) {
        place({row, x.stride, group.count - i}, here, kNone, block, squares + i);
      }
      if (squares[i] < kNothing<T>) block.rows.columns(here + 1).col(here).setZero();
      peak_ = std::max(peak_, squares[i]);
    }
    block.count += group.count;
    done += group.count;
  }
  return done;
}

// Returns whether a row outweighs all rows before it by so much that it is a block of its own, centred as by
// Moments::add: relative to its weight, its distance from the mean of a block is rounding.
template <typename T>
bool Moments<T>::outweighs(double weight, double before) const {
  return center_ && before > 0.0 && weight > block_borders::kMuchHeavier * before;
}

// Increases the weight of the next row relative to those before it, instead of forgetting these; the first
// row of a block makes the rows before the block forget. Returns false, and does nothing, if those would
// hardly count any more, because rows are centred by their mean.
template <typename T>
bool Moments<T>::grow(double forgetting, bool is_first, RowBlock<T>& block) {
  if (is_first) {
    forget(forgetting);
    block.rescale *= forgetting;
    return true;
  }
  if (block.growth > block_borders::kMostForgotten * forgetting) return false;
  block.growth /= forgetting;
  return true;
}

// Rows that outweigh everything before them, as the first rows do, are centred by their own mean c, and (n W
// / (n + W))^(1/2) (c - mean) becomes one more row. Otherwise, differences from the earlier mean would lose
// digits.
template <typename T>
void Moments<T>::recentre(double before, RowBlock<T>& block) {
  delta_ = block.total * (unit_ / block.weight);
  auto rows = block.rows.columns(block.count + 1);
  for (Index i = 0; i < block.count; ++i) rows.col(i) -= (block.roots[i] * delta_).template cast<T>();
  if (before == 0.0) return;
  rows.col(block.count++) = (std::sqrt(before / weight_ * block.weight) * delta_).template cast<T>();
}

// With gaps, each feature has a mean over its own rows, so the rows themselves are centred: by the fraction
// (1 - (n / (n + W))^(1/2)) of the mean of the block's values, where n and W are the weights before and in
// the block. Without gaps, BlockWeights::pull does the same. Filled values are already deviations, of which a
// row adds the fraction Intake::part_in_scatter: little for a row of large weight compared with the others.
template <typename T>
void Moments<T>::close_with_gaps(RowBlock<T>& block) {
  const bool is_alone = block.count == 1 && outweighs(block.weight, block.weight_before);
  // Computed from the present values, whose sum is block.total. Their weights are added up, because
  // subtracting the weights of the gaps from that of the block would leave only rounding next to a heavy row.
  Vector<double> weight = Vector<double>::Zero(features());
  std::vector<bool> is_complete(static_cast<std::size_t>(features()), true);
  for (Index i = 0; i < block.count; ++i) {
    const double of_row = is_alone ? block.weight : block.roots[i] * block.roots[i];
    for (Index j = 0; j < features(); ++j) {
      if (block.has_gap(j, i)) {
        is_complete[static_cast<std::size_t>(j)] = false;
      } else {
        weight[j] += of_row;
      }
    }
  }
  delta_.setZero();
  for (Index j = 0; j < features(); ++j) {
    if (is_complete[static_cast<std::size_t>(j)]) weight[j] = block.weight;
    if (weight[j] == 0.0) continue;
    const double before = observed_[j];
    observed_[j] += weight[j];
    if (!center_) continue;
    if (!is_alone) delta_[j] = (1.0 - std::sqrt(before / observed_[j])) * block.total[j] / weight[j] * unit_;
    const double moved = mean_tail_[j] + block.total[j] / observed_[j];
    const double next = mean_[j] + moved;
    mean_tail_[j] = moved - (next - mean_[j]);
    mean_[j] = next;
  }
  if (!center_ || is_alone) return;
  double all = block.weight_before;
  for (Index i = 0; i < block.count; ++i) {
    T* const row = block.rows.row(i);
    const double before = all;
    all += block.roots[i] * block.roots[i];
    const double part = std::sqrt(before / all);
    for (Index j = 0; j < features(); ++j) {
      const double given = static_cast<double>(row[j]);
      row[j] = static_cast<T>(block.has_gap(j, i) ? part * given : given - block.roots[i] * delta_[j]);
    }
  }
}

template <typename T>
void Moments<T>::close(RowBlock<T>& block) {
  const double before = weight_;
  const double pairs = block.weight_pairs + before * block.weight;
  block.freedom = freedom();
  weight_ += block.weight;
  weight_pairs_ += pairs;
  block.pairs_share = weight_pairs_ > 0.0 ? pairs / weight_pairs_ : 0.0;
  block.is_recentred = false;
  block.weight_before = before;
  block.unit = unit_;
  block.pull = 0.0;
  if (observed_.size() > 0) {
    close_with_gaps(block);
  } else if (center_) {
    const double part = before / weight_;
    const bool is_alone = block.count == 1 && outweighs(block.weight, before);
    if (part < block_borders::kOutweighed && !is_alone) {
      recentre(before, block);
      block.is_recentred = true;
    } else if (!is_alone) {
      block.pull = (1.0 - std::sqrt(part)) / block.weight;
      scatter_.array() -= (block.total.array() * unit_).square() / weight_;
    }
    for (Index j = 0; j < features(); ++j) {
      // The leading digits of the moved tail go into the mean.
      const double moved = mean_tail_[j] + block.total[j] / weight_;
      const double next = mean_[j] + moved;
      mean_tail_[j] = moved - (next - mean_[j]);
      mean_[j] = next;
    }
  }
  simd::table<T>().add_squares(block.rows.view(block.count), features(), scatter_.data());
  scatter_ = scatter_.cwiseMax(0.0);
  block.decay = 1.0 / block.growth;
  if (block.decay < 1.0) forget(block.decay);
}

template <typename T>
double Moments<T>::freedom() const {
  if (!center_) return weight_;
  return weight_ > 0.0 ? 2.0 * weight_pairs_ / weight_ : 0.0;
}

template <typename T>
void Moments<T>::write(Model<T>& model) const {
  model.weight = weight_;
  model.weight_pairs = weight_pairs_;
  model.mean = to_vector(mean_);
  model.mean_tail = to_vector(mean_tail_);
  model.scatter = to_vector(scatter_ / unit_ / unit_);
  model.feature_weight = to_vector(observed_);
}

template <typename T>
Vector<double> Moments<T>::mean_squares() const {
  if (weight_ == 0.0) return Vector<double>::Zero(features());
  return scatter_ / weight_ + (unit_ * mean_).cwiseAbs2();
}

template class Moments<float>;
template class Moments<double>;

}  // namespace roipca
