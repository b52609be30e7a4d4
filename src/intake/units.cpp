#include "intake/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "intake/row_check.hpp"
#include "roipca/errors.hpp"

namespace roipca {
namespace {

// Returns sqrt(sum of w x^2 / divisor) without leaving the range on the way.
double root_mean_square(const Eigen::Ref<const Vector<double>>& x, const Eigen::Ref<const Vector<double>>& w,
                        double divisor) {
  const double largest = x.cwiseAbs().maxCoeff();
  if (!(largest > 0.0)) return 0.0;
  return largest * std::sqrt((x / largest).cwiseAbs2().dot(w) / divisor);
}

// Returns the sum over i < j of w_i w_j. W^2 - sum of w^2 would be a difference of nearly equal numbers next
// to a heavy row.
double sum_of_pairs(const Eigen::Ref<const Vector<double>>& w) {
  double pairs = 0.0;
  double before = 0.0;
  for (const double weight : w) {
    pairs += before * weight;
    before += weight;
  }
  return pairs;
}

}  // namespace

bool is_usable_scale(double scale) {
  return std::isfinite(scale) && scale >= std::numeric_limits<double>::min();
}

void Units::visit_state(state::Archive& archive, Index features) {
  bool is_known = !empty();
  archive(is_known);
  if (!is_known) return;
  if (empty()) {
    origin.resize(features);
    scale.resize(features);
  }
  archive(origin, scale, standardizes);
}

template <typename T>
Units units_of(simd::RowsView<T> rows, const double* weights, Index features, bool center, bool standardize) {
  Units units = {Vector<double>::Zero(features), Vector<double>::Ones(features), standardize};
  const double heaviest = Eigen::Map<const Vector<double>>(weights, rows.count).maxCoeff();
  Vector<double> values(rows.count);
  Vector<double> parts(rows.count);
  for (Index j = 0; j < features; ++j) {
    Index count = 0;
    for (Index i = 0; i < rows.count; ++i) {
      const auto x = static_cast<double>(rows.data[i * rows.stride + j]);
      if (std::isnan(x)) continue;
      values[count] = x;
      parts[count++] = weights[i] / heaviest;  // sums and squares of weights stay in range
    }
    if (count == 0) continue;
    auto column = values.head(count);
    const auto part = parts.head(count);
    const double total = part.sum();
    if (center) {
      // First relative to the heaviest value, so that a constant column is exactly 0, and the distance of the
      // heaviest row from the mean is not lost in rounding.
      Index heaviest_value = 0;
      part.maxCoeff(&heaviest_value);
      const double reference = column[heaviest_value];
      column.array() -= reference;
      const double offset = column.dot(part) / total;
      column.array() -= offset;
      units.origin[j] = reference + offset;
    }
    const double freedom = center ? 2.0 * sum_of_pairs(part) / total : total;
    if (!standardize || !(freedom > 0.0)) continue;
    const double scale = root_mean_square(column, part, freedom);
    if (is_usable_scale(scale)) units.scale[j] = scale;
  }
  return units;
}

template <typename T>
Units units_of(const Model<T>& model) {
  const bool standardizes = !model.scale.empty();
  return {as_eigen(model.mean),
          standardizes ? Vector<double>(as_eigen(model.scale)) : Vector<double>::Ones(model.features()),
          standardizes};
}

template <typename T>
void to_units(const Units& units, const T* x, Index row, double weight, T* y) {
  const Index features = units.scale.size();
  const double* const origin = units.origin.data();
  const double* const scale = units.scale.data();
  for (Index j = 0; j < features; ++j) {
    y[j] = static_cast<T>((static_cast<double>(x[j]) - origin[j]) / scale[j]);
  }
  const T largest = largest_number<T>(weight);
  if (!simd::table<T>().any_beyond(y, features, largest)) return;
  const auto is_beyond = [largest](T number) { return std::abs(number) > largest; };
  const Index j = std::find_if(y, y + features, is_beyond) - y;
  if (j == features) return;  // only missing values
  std::ostringstream text;
  text << x[j] << " (too large: more than " << largest << " times the scale of its column) in column " << j;
  throw DataError(row, text.str());
}

template <typename T>
Model<T> from_units(Model<T> model, const Units& units) {
  for (std::size_t j = 0; j < model.mean.size(); ++j) {
    const auto i = static_cast<Index>(j);
    const double scale = units.scale[i];
    const double move = model.mean[j] * scale;
    const double mean = units.origin[i] + move;
    const double rest = (move - (mean - units.origin[i])) + model.mean_tail[j] * scale;
    model.mean[j] = mean + rest;
    model.mean_tail[j] = rest - (model.mean[j] - mean);
    model.scatter[j] = model.scatter[j] * scale * scale;
  }
  model.options.standardize = units.standardizes;
  if (units.standardizes) model.scale = to_vector(units.scale);
  return model;
}

template <typename T>
Model<T> to_units(Model<T> model, const Units& units) {
  for (std::size_t j = 0; j < model.mean.size(); ++j) {
    const auto i = static_cast<Index>(j);
    const double scale = units.scale[i];
    model.mean[j] = ((model.mean[j] - units.origin[i]) + model.mean_tail[j]) / scale;
    model.mean_tail[j] = 0.0;
    model.scatter[j] = model.scatter[j] / scale / scale;
  }
  model.options.standardize = false;
  model.scale.clear();
  return model;
}

template Units units_of(simd::RowsView<float>, const double*, Index, bool, bool);
template Units units_of(simd::RowsView<double>, const double*, Index, bool, bool);
template Units units_of(const Model<float>&);
template Units units_of(const Model<double>&);
template void to_units(const Units&, const float*, Index, double, float*);
template void to_units(const Units&, const double*, Index, double, double*);
template Model<float> from_units(Model<float>, const Units&);
template Model<double> from_units(Model<double>, const Units&);
template Model<float> to_units(Model<float>, const Units&);
template Model<double> to_units(Model<double>, const Units&);

}  // namespace roipca
