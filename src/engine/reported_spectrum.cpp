#include "engine/reported_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "basis/split.hpp"
#include "engine/make_engine.hpp"

namespace roipca {
namespace {

// Returns the largest power of four up to x: the square of the largest power of two up to its root.
double power_of_four(double x) { return x > 0.0 ? std::ldexp(1.0, std::ilogb(x) & ~1) : 0.0; }

// Features count in full if their noise is at least this fraction, squared, of that along a component: 1/32
// of its size.
constexpr double kAlike = 0x1p-10;

// The largest of d sample variances in n rows is about (1 + (d / n)^(1/2))^2 times their true value. Features
// with far less noise than there is `along` a component hardly add to it.
double growth_in_sample(const Vector<double>& places, double along, double rows) {
  if (!(along > 0.0)) return 1.0;
  const double features = places.cwiseMin(kAlike * along).sum() / (kAlike * along);
  const double root = 1.0 + std::sqrt(features / std::max(rows, 1.0));
  return root * root;
}

template <typename T>
void drop_rounding(const Eigen::Ref<Matrix<T>>& basis, Vector<double>& values, double trace,
                   const Rounding& rounding) {
  const double epsilon = double{std::numeric_limits<T>::epsilon()};
  const double of_rotations = rounding.components_rotate
                                  ? (kNoise<T> * kNoise<T> + epsilon * epsilon * rounding.rotations) * trace
                                  : 0.0;
  const double of_entries = epsilon * epsilon * rounding.freedom / 6.0;
  const Vector<double> places = rounding.mean_squares.unaryExpr(&power_of_four);
  // The squares of a component sum to 1, and no growth exceeds that of features with equal noise, so that
  // most components need no closer look.
  const double root = 1.0 + std::sqrt(static_cast<double>(basis.rows()) / std::max(rounding.rows, 1.0));
  const double largest = places.size() > 0 ? places.maxCoeff() : 0.0;
  const double most = of_rotations + 2.0 * of_entries * root * root * largest;
  for (Index i = 0; i < values.size(); ++i) {
    if (values[i] > most) continue;
    const double along = basis.col(i).template cast<double>().cwiseAbs2().dot(places);
    const double noise = of_rotations + of_entries * along * growth_in_sample(places, along, rounding.rows);
    if (!(values[i] > noise)) values[i] = 0.0;
  }
}

template <typename T>
void sort_descending(Eigen::Ref<Matrix<T>>& basis, Vector<double>& values) {
  if (std::is_sorted(values.data(), values.data() + values.size(), std::greater<>())) return;
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] > values[b]; });
  const Matrix<T> columns = basis;
  const Vector<double> unsorted = values;
  for (Index i = 0; i < values.size(); ++i) {
    const Index place = order[static_cast<std::size_t>(i)];
    values[i] = unsorted[place];
    basis.col(i) = columns.col(place);
  }
}

template <typename T>
void limit_to_trace(Vector<double>& values, double trace) {
  const double sum = values.sum();
  // A sum that equals the trace to rounding is left unchanged, so that a stream that resumes from here keeps
  // its bits.
  constexpr double kRoundings = 1.0 + 1024.0 * double{std::numeric_limits<T>::epsilon()};
  if (sum > kRoundings * trace) values *= trace / sum;
}

}  // namespace

Rounding rounding_of(const Options& options, std::int64_t rows, Vector<double> mean_squares, double freedom) {
  const Index features = mean_squares.size();
  const bool blocks = by_blocks(options, features);
  // With forgetting, only the rows count that have not faded yet.
  const double counting = options.forgetting < 1.0
                              ? std::min(static_cast<double>(rows), 2.0 / (1.0 - options.forgetting))
                              : static_cast<double>(rows);
  const Index rows_per_rotation = blocks ? block_rows(options, features) : 1;
  return {std::move(mean_squares), freedom, counting, counting / static_cast<double>(rows_per_rotation),
          resolve(options, features) != Method::kExact};
}

template <typename T>
void make_reportable(Eigen::Ref<Matrix<T>> basis, Vector<double>& values, double trace,
                     const Rounding& rounding) {
  drop_rounding<T>(basis, values, trace, rounding);
  sort_descending<T>(basis, values);
  limit_to_trace<T>(values, trace);
}

template void make_reportable<float>(Eigen::Ref<Matrix<float>>, Vector<double>&, double, const Rounding&);
template void make_reportable<double>(Eigen::Ref<Matrix<double>>, Vector<double>&, double, const Rounding&);

}  // namespace roipca
