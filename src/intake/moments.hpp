/// Running mean and scatter of each feature, and rows centred by them.
#pragma once

#include "intake/row_block.hpp"
#include "intake/row_filler.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Turns a stream of rows x with weights w into rows v with scatter <- scatter + v v^T (Welford's
/// recurrence): v = (n w / (n + w))^(1/2) (x - mean), where n is the weight so far; without centring, v =
/// w^(1/2) x.
///
/// Squares are kept in range by `unit`, a power of two that multiplies v and changes only when the rows leave
/// the range. Everything is in double, whatever T is. The mean carries the digits that rounding cuts off, so
/// that a spread of 1 around 1e12 keeps its mean however long the stream is.
template <typename T>
class Moments {
 public:
  /// The difference between the scatter of all rows and those of two parts, in the unit of all rows.
  struct Joint {
    double rescale;       // factor on the scatter before: forgetting, and a new unit
    double other_factor;  // factor on the other scatter: a new unit
    Vector<double> step;  // weighted difference of the two means: the scatter grows by step step^T
  };

  Moments(Index features, const Options& options);
  explicit Moments(const Model<T>& model);

  /// Multiplies the weight of all earlier rows by `factor`.
  void forget(double factor);

  /// Adds other rows, after the weight of all earlier rows was multiplied by `decay`. Neither may have gaps.
  Joint merge(const Moments& other, double decay);

  /// Makes a block of one row of positive weight, after everything before it was multiplied by `forgetting`.
  void add(const T* row, double weight, double forgetting, RowBlock<T>& block);

  /// Takes rows of positive weight (`weights` null: 1) into a block until it is full, and returns their
  /// number. `forgetting` multiplies the weight of all earlier rows at each row; if it forgets much, the
  /// block ends before it is full. A block also ends before and after a row that far outweighs all rows
  /// before it. The mean stays unchanged until the block is closed.
  Index collect(simd::RowsView<T> x, const double* weights, double forgetting, RowBlock<T>& block);
  /// Updates mean and scatter with the rows of the block, and computes the members that are known only then:
  /// see BlockWeights.
  void close(RowBlock<T>& block);

  /// From now on, rows may have gaps, and the mean of a feature is that of its present values. A filled value
  /// is a deviation from the mean, and stays the same deviation when the mean moves.
  void expect_gaps() {
    if (observed_.size() == 0) observed_.setConstant(features(), weight_);
  }
  /// Adds these numbers to the scatter of each feature.
  void add_scatter(const Vector<double>& scatter) { scatter_ += scatter * unit_ * unit_; }
  /// Returns the mean squared deviation of each feature. There must be at least one row.
  Vector<double> mean_squared_deviations() const { return scatter_ / weight_ / unit_ / unit_; }
  double weight() const { return weight_; }
  bool centres() const { return center_; }
  /// See Model::weight_pairs.
  double weight_pairs() const { return weight_pairs_; }
  /// See row_filler.hpp.
  double counting_rows() const { return roipca::counting_rows(weight_, weight_pairs_); }
  const Vector<double>& mean() const { return mean_; }
  const Vector<double>& mean_tail() const { return mean_tail_; }

  void write(Model<T>& model) const;
  /// Returns the mean of x^2 for each feature, in the unit: about the origin, wherever the mean is.
  Vector<double> mean_squares() const;
  void visit_state(state::Archive& archive) {
    archive(weight_, weight_pairs_, unit_, peak_, mean_, mean_tail_, scatter_);
    bool has_gaps = observed_.size() > 0;
    archive(has_gaps);
    if (!has_gaps) return;
    expect_gaps();
    archive(observed_);
  }
  /// See Model::degrees_of_freedom.
  double freedom() const;
  double unit() const { return unit_; }
  Index features() const { return mean_.size(); }

 private:
  double fit_unit(double row_size);
  void place(simd::RowsView<T> x, Index first, const double* weights, RowBlock<T>& block, double* squares);
  bool change_unit(const T* x, Index i, RowBlock<T>& block);
  void close_with_gaps(RowBlock<T>& block);
  void recentre(double before, RowBlock<T>& block);
  bool outweighs(double weight, double before) const;
  bool grow(double forgetting, bool is_first, RowBlock<T>& block);

  bool center_;
  bool begins_at_origin_;  // the first rows have their mean there: no row is needed as a reference
  double weight_ = 0.0;
  double weight_pairs_ = 0.0;
  double unit_ = 1.0;
  double peak_ = 0.0;  // largest |v|^2 so far
  Vector<double> mean_;
  Vector<double> mean_tail_;
  Vector<double> scatter_;   // in the unit, squared
  Vector<double> observed_;  // weight of the present values of each feature; empty without gaps
  Vector<double> delta_;     // scratch
};

/// Multiplies by unit^-2 without an intermediate overflow or underflow.
inline double to_raw(double quadratic, double unit) { return quadratic / unit / unit; }

extern template class Moments<float>;
extern template class Moments<double>;

}  // namespace roipca
