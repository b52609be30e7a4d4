#include "engine/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace roipca {
namespace {

// Range of |v|^2 that needs no new unit: products of four such numbers stay finite in T.
template <typename T>
constexpr double kHigh = std::is_same_v<T, float> ? 0x1p30 : 0x1p250;
template <typename T>
constexpr double kLow = std::is_same_v<T, float> ? 0x1p-30 : 0x1p-250;

// |v|^2 below this is nothing beside what came before, which is above kLow; v would lose its digits to
// underflow.
template <typename T>
constexpr double kNothing = std::is_same_v<T, float> ? 0x1p-150 : 0x1p-800;

template <typename T>
bool needs_unit(double squared, double peak) {
  return !(squared <= kHigh<T>) || (squared < kLow<T> && peak < kLow<T>);
}

// |scale delta|^2, summed in the order of kernels.centre: another unit must not change a bit.
double squared_norm(const Vector<double>& delta, double scale) {
  Vector<double> mean = Vector<double>::Zero(delta.size());
  Vector<double> tail = mean;
  Vector<double> same = mean;
  return kernels::table<double>().centre({delta.data(), mean.data(), tail.data(), same.data()}, delta.size(),
                                         0.0, scale);
}

double power_of_two(int exponent) { return std::ldexp(1.0, std::clamp(exponent, -1000, 1000)); }

}  // namespace

template <typename T>
Moments<T>::Moments(Index features, bool center)
    : center_(center),
      mean_(Vector<double>::Zero(features)),
      mean_tail_(Vector<double>::Zero(features)),
      scatter_(Vector<double>::Zero(features)),
      delta_(features) {}

template <typename T>
Moments<T>::Moments(const Model<T>& model)
    : center_(model.options.center),
      weight_(model.weight),
      weight_squares_(model.weight_squares),
      mean_(model.mean),
      mean_tail_(model.mean_tail),
      scatter_(model.scatter),
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
  weight_squares_ *= factor * factor;
  scatter_ *= factor;
  peak_ *= factor;
}

// A unit in which a row of this size is of size 1, or what came before where that is larger: with forgetting
// it can have sunk low and still be far above the row. Returns the factor that quadratic quantities change
// by.
template <typename T>
double Moments<T>::fit_unit(double row_size) {
  const double size = std::max(row_size, std::sqrt(peak_) / unit_);
  if (size == 0.0) return 1.0;
  const double unit = power_of_two(-std::ilogb(size));
  const double ratio = unit / unit_;
  // Overflows only where nothing came before, and nothing times a finite number is nothing.
  const double factor = std::min(ratio * ratio, std::numeric_limits<double>::max());
  unit_ = unit;
  scatter_ *= factor;
  peak_ *= factor;
  return factor;
}

template <typename T>
typename Moments<T>::Centred Moments<T>::add(const T* row, double weight, T* v) {
  const auto& kernel = kernels::table<T>();
  const double total = weight_ + weight;
  const double gain = std::sqrt(center_ ? weight_ / total * weight : weight);
  const double share = center_ ? weight / total : 0.0;

  Centred result;
  double squared =
      kernel.centre({row, mean_.data(), mean_tail_.data(), delta_.data()}, features(), share, gain * unit_);
  if (needs_unit<T>(squared, peak_)) {
    result.rescale = fit_unit(gain * delta_.cwiseAbs().maxCoeff());
    squared = squared_norm(delta_, gain * unit_);
  }
  if (squared < kNothing<T>) squared = 0.0;
  peak_ = std::max(peak_, squared);
  kernel.scale_and_square(delta_.data(), features(), gain * unit_, v, scatter_.data());
  result.step.weight_before = weight_;
  result.step.weight = weight;
  result.step.squared_norm = squared;
  result.step.unit = unit_;
  weight_ = total;
  weight_squares_ += weight * weight;
  return result;
}

// Writes row x into its place in the block, in the unit in use. Returns its squared norm.
template <typename T>
double Moments<T>::place(const T* x, Index i, RowBlock<T>& block) {
  const Eigen::Map<const Vector<T>> row(x, features());
  delta_ = ((row.template cast<double>() - mean_) - mean_tail_) * block.roots[i];
  block.rows.columns(i + 1).col(i) = (delta_ * unit_).template cast<T>();
  return (delta_ * unit_).squaredNorm();
}

// Finds a unit for row x, the i-th of the block, and brings those before it into that unit.
template <typename T>
void Moments<T>::change_unit(const T* x, Index i, RowBlock<T>& block) {
  place(x, i, block);
  const double factor = fit_unit(delta_.cwiseAbs().maxCoeff());
  block.rescale *= factor;
  block.rows.columns(i) *= static_cast<T>(std::sqrt(factor));
}

template <typename T>
Index Moments<T>::collect(kernels::RowsView<T> x, const double* weights, double forgetting,
                          RowBlock<T>& block) {
  constexpr Index kGroup = 8;
  if (center_ && weight_ == 0.0 && block.count == 0) {
    // The first row is as good a reference as any until there is a mean.
    mean_ = Eigen::Map<const Vector<T>>(x.data, features()).template cast<double>();
  }
  const Index taken = std::min<Index>(x.count, block.capacity() - block.count);
  for (Index done = 0; done < taken;) {
    const Index group = std::min(kGroup, taken - done);
    const T* first = x.data + done * x.stride;
    double weight[kGroup];
    double scale[kGroup];
    double squares[kGroup];
    for (Index i = 0; i < group; ++i) {
      if (forgetting < 1.0) block.growth /= forgetting;
      weight[i] = (weights == nullptr ? 1.0 : weights[done + i]) * block.growth;
      block.weight += weight[i];
      block.weight_squares += weight[i] * weight[i];
      block.roots[block.count + i] = std::sqrt(weight[i]);
      scale[i] = block.roots[block.count + i] * unit_;
    }
    kernels::table<T>().collect({first, x.stride, group},
                                {mean_.data(), mean_tail_.data(), weight, scale, block.total.data(),
                                 block.rows.row(block.count), block.rows.stride(), squares},
                                features());
    for (Index i = 0; i < group; ++i) {
      const Index here = block.count + i;
      if (needs_unit<T>(squares[i], peak_)) {
        change_unit(first + i * x.stride, here, block);
        for (Index j = i; j < group; ++j) {
          squares[j] = place(first + j * x.stride, block.count + j, block);
        }
      }
      if (squares[i] < kNothing<T>) block.rows.columns(here + 1).col(here).setZero();
      peak_ = std::max(peak_, squares[i]);
    }
    block.count += group;
    done += group;
  }
  return taken;
}

template <typename T>
double Moments<T>::close(RowBlock<T>& block) {
  const double before = weight_;
  weight_ += block.weight;
  weight_squares_ += block.weight_squares;
  block.weight_before = before * unit_ * unit_;
  block.pull = 0.0;
  if (center_) {
    const bool first = before == 0.0;
    // The first rows are about one of them, which is no mean: they are few, and moved themselves.
    if (first) {
      for (Index i = 0; i < block.count; ++i) {
        auto row = block.rows.columns(block.count).col(i);
        row -= (block.total * (block.roots[i] * unit_ / weight_)).template cast<T>();
      }
    } else {
      block.pull = (1.0 - std::sqrt(before / weight_)) / block.weight;
    }
    for (Index j = 0; j < features(); ++j) {
      const double total = block.total[j];
      if (!first) scatter_[j] -= (total * unit_) * (total * unit_) / weight_;
      // What fits of the moved tail goes into the mean.
      const double moved = mean_tail_[j] + total / weight_;
      const double next = mean_[j] + moved;
      mean_tail_[j] = moved - (next - mean_[j]);
      mean_[j] = next;
    }
  }
  kernels::table<T>().add_squares(block.rows.view(block.count), features(), scatter_.data());
  scatter_ = scatter_.cwiseMax(0.0);
  const double decay = 1.0 / block.growth;
  if (decay < 1.0) forget(decay);
  return decay;
}

template <typename T>
void Moments<T>::write(Model<T>& model) const {
  model.weight = weight_;
  model.weight_squares = weight_squares_;
  model.mean = mean_;
  model.mean_tail = mean_tail_;
  model.scatter = scatter_ / unit_ / unit_;
}

template class Moments<float>;
template class Moments<double>;

}  // namespace roipca
