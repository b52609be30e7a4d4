/// Running mean and scatter of each feature, and rows centred by them.
#pragma once

#include "roipca/model.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// Turns a stream of rows x with weights w into rows v with scatter <- scatter + v v^T (Welford's
/// recurrence): v = (n w / (n + w))^(1/2) (x - mean), n the weight so far; without centring v = w^(1/2) x.
///
/// Squares are kept in range by `unit`, a power of two that multiplies v and changes only when the rows leave
/// the range. All in double, whatever T is; the mean carries the digits that rounding cuts off, so that a
/// spread of 1 around 1e12 keeps its mean for ever.
template <typename T>
class Moments {
 public:
  Moments(Index features, bool center);
  explicit Moments(const Model<T>& model);

  /// All that came before counts `factor` times as much.
  void forget(double factor);

  struct Centred {
    Step step;
    double rescale = 1.0;  // by which everything quadratic must be multiplied first: the unit has changed
  };
  /// Adds a row of positive weight and writes v. step.squared_norm is 0 where v is, to rounding and far
  /// beyond.
  Centred add(const T* row, double weight, T* v);

  void write(Model<T>& model) const;
  double unit() const { return unit_; }
  Index features() const { return mean_.size(); }

 private:
  double fit_unit(double gain);

  bool center_;
  double weight_ = 0.0;
  double weight_squares_ = 0.0;
  double unit_ = 1.0;
  double peak_ = 0.0;  // largest |v|^2 so far
  Vector<double> mean_;
  Vector<double> mean_tail_;
  Vector<double> scatter_;  // in the unit, squared
  Vector<double> delta_;    // scratch
};

/// Multiplies by unit^-2 without leaving the range on the way.
inline double to_raw(double quadratic, double unit) { return quadratic / unit / unit; }

extern template class Moments<float>;
extern template class Moments<double>;

}  // namespace roipca
