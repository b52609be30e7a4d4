/// The units of a stream whose rows are standardized.
#pragma once

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "simd/table.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Rows x enter a stream as y = (x - origin) / scale, and its model is returned in the units of x. The origin
/// only preserves digits: a spread of 1 around 1e12 would lose them in a division.
struct Units {
  Vector<double> origin;
  Vector<double> scale;      // positive
  bool standardizes = true;  // whether the scales are those of the features, and not all 1

  bool empty() const { return scale.size() == 0; }
  void visit_state(state::Archive& archive, Index features);
};

/// Returns whether a standard deviation can be divided by; a feature whose deviation is 0 has scale 1.
bool is_usable_scale(double scale);

/// Returns the units in which rows have unit variance about their mean, or unit mean squares without
/// centring. A feature that does not vary has scale 1, and so has every feature unless `standardize`. NaN are
/// missing values. `weights` are positive.
template <typename T>
Units units_of(simd::RowsView<T> rows, const double* weights, Index features, bool center, bool standardize);

/// Returns the units in which a model's own rows have their mean at the origin.
template <typename T>
Units units_of(const Model<T>& model);

/// Writes row x, which has this number and weight, to y in these units. Throws DataError if a number is too
/// large in them.
template <typename T>
void to_units(const Units& units, const T* x, Index row, double weight, T* y);

/// Convert a model of rows in these units to one of the rows as they were given, and back. The second needs a
/// model with the same scale.
template <typename T>
Model<T> from_units(Model<T> model, const Units& units);
template <typename T>
Model<T> to_units(Model<T> model, const Units& units);

}  // namespace roipca
