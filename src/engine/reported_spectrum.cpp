#include "engine/reported_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "basis/split.hpp"
#include "engine/block_rule.hpp"

namespace roipca {
namespace {

template <typename T>
void drop_rounding(Spectrum<T>& spectrum, const Rounding& rounding) {
  const double epsilon = double{std::numeric_limits<T>::epsilon()};
  const double features = static_cast<double>(spectrum.basis.rows());
  const double of_rotations =
      rounding.components_rotate
          ? (kNoise<T> * kNoise<T> + epsilon * epsilon * rounding.rotations) * spectrum.trace
          : 0.0;
  // A uniform error of a unit in the last place has a variance of 1/12; 1/8 leaves room for the sample. The
  // largest of d such variances in n rows is about (1 + (d / n)^(1/2))^2 times as large.
  const double spread = 1.0 + std::sqrt(features / std::max(rounding.rows, 1.0));
  const double of_entries = 0.125 * epsilon * epsilon * spread * spread;
  for (Index i = 0; i < spectrum.values.size(); ++i) {
    const auto squares = spectrum.basis.col(i).template cast<double>().cwiseAbs2();
    const double noise = of_rotations + of_entries * squares.dot(rounding.second_moments);
    if (!(spectrum.values[i] > noise)) spectrum.values[i] = 0.0;
  }
}

template <typename T>
void sort_descending(Spectrum<T>& spectrum) {
  const auto& values = spectrum.values;
  if (std::is_sorted(values.data(), values.data() + values.size(), std::greater<>())) return;
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] > values[b]; });
  const Spectrum<T> from = spectrum;
  for (Index i = 0; i < values.size(); ++i) {
    const Index place = order[static_cast<std::size_t>(i)];
    spectrum.values[i] = from.values[place];
    spectrum.basis.col(i) = from.basis.col(place);
  }
}

template <typename T>
void limit_to_trace(Spectrum<T>& spectrum) {
  const double sum = spectrum.values.sum();
  // Less than the trace by the rounding of adding up the shares.
  const double most = spectrum.trace * (1.0 - static_cast<double>(spectrum.values.size() + 1) *
                                                  std::numeric_limits<double>::epsilon());
  if (sum > most) spectrum.values *= most / sum;
}

}  // namespace

Rounding rounding_of(const Options& options, std::int64_t rows, Vector<double> second_moments) {
  const Index features = second_moments.size();
  const bool blocks = by_blocks(options, features);
  // With forgetting, those count that have not faded yet.
  const double counting = options.forgetting < 1.0
                              ? std::min(static_cast<double>(rows), 2.0 / (1.0 - options.forgetting))
                              : static_cast<double>(rows);
  const Index rows_per_rotation = blocks ? block_rows(options, features) : 1;
  return {std::move(second_moments), counting, counting / static_cast<double>(rows_per_rotation),
          resolve(options, features) != Method::kExact};
}

template <typename T>
void make_reportable(Spectrum<T>& spectrum, const Rounding& rounding) {
  drop_rounding(spectrum, rounding);
  sort_descending(spectrum);
  limit_to_trace(spectrum);
}

template void make_reportable(Spectrum<float>&, const Rounding&);
template void make_reportable(Spectrum<double>&, const Rounding&);

}  // namespace roipca
