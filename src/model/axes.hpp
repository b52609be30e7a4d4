/// The order and the signs in which a model shows its reported components.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Returns the sign, 1 or -1, that makes the largest entry of held component `place` positive.
template <typename T>
int default_sign(const Model<T>& model, Index place) {
  const auto component = as_columns(model.basis).col(place);
  const T most = component.maxCoeff();
  const T least = component.minCoeff();
  if (most != -least) return most < -least ? -1 : 1;
  // If two entries have the same magnitude, the first one counts.
  for (Index j = 0; j < component.size(); ++j) {
    if (component[j] == most || component[j] == least) return component[j] < T{0} ? -1 : 1;
  }
  return 1;
}

/// Turns the reported components of a model without `axes` to the signs with which they are shown, so that
/// readers need no copy of them.
template <typename T>
void store_as_shown(Model<T>& model) {
  for (Index i = 0; i < model.n_components; ++i) {
    if (default_sign(model, i) < 0) as_columns(model.basis).col(i) *= T{-1};
  }
}

/// Component i as shown is `sign(i)` times held component `place(i)`.
template <typename T>
class Axes {
 public:
  explicit Axes(const Model<T>& model) : axes_(model.axes) {
    for (auto i = static_cast<Index>(axes_.size()); i < model.n_components; ++i) {
      axes_.push_back(default_sign(model, i) * (i + 1));
    }
  }

  Index count() const { return static_cast<Index>(axes_.size()); }
  Index place(Index i) const { return std::abs(axes_[static_cast<std::size_t>(i)]) - 1; }
  int sign(Index i) const { return axes_[static_cast<std::size_t>(i)] < 0 ? -1 : 1; }

  /// Returns whether the held components are shown as they are.
  bool are_those_of_the_basis() const {
    Index next = 0;
    return std::all_of(axes_.begin(), axes_.end(), [&](Index axis) { return axis == ++next; });
  }

  /// Returns columns of the basis as they are shown.
  template <typename Columns, typename Shown>
  void show(const Columns& columns, Shown&& shown) const {
    using Number = typename std::decay_t<Shown>::Scalar;
    for (Index i = 0; i < count(); ++i) {
      shown.col(i) =
          (columns.col(place(i)) * static_cast<typename Columns::Scalar>(sign(i))).template cast<Number>();
    }
  }
  /// The inverse of `show`.
  template <typename Shown>
  RowMatrix<typename Shown::Scalar> hide(const Shown& shown) const {
    RowMatrix<typename Shown::Scalar> columns(shown.rows(), count());
    for (Index i = 0; i < count(); ++i) {
      columns.col(place(i)) = shown.col(i) * static_cast<typename Shown::Scalar>(sign(i));
    }
    return columns;
  }

 private:
  std::vector<Index> axes_;
};

/// Returns numbers per held component in the order in which the reported ones are shown.
template <typename T>
Vector<double> in_shown_order(const Model<T>& model, const std::vector<double>& of_held) {
  const auto values = as_eigen(of_held);
  if (model.axes.empty()) return values.head(model.n_components);
  Vector<double> shown(model.n_components);
  for (Index i = 0; i < shown.size(); ++i) {
    shown[i] = values[std::abs(model.axes[static_cast<std::size_t>(i)]) - 1];
  }
  return shown;
}

}  // namespace roipca
