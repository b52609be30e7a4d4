#include "roipca/alignment.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "linalg/decompositions.hpp"
#include "linalg/eigen_types.hpp"
#include "linalg/products.hpp"
#include "model/axes.hpp"

namespace roipca {
namespace {

// Assigns a different column to each row of a square matrix, such that the sum of the chosen entries is
// largest. Uses the Hungarian method with potentials: rows are added one by one, each along the cheapest
// augmenting path. O(n^3).
std::vector<Index> best_assignment(const Matrix<double>& gain) {
  const Index n = gain.rows();
  const auto size = static_cast<std::size_t>(n) + 1;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> row_potential(size);
  std::vector<double> column_potential(size);
  std::vector<Index> row_of(size);  // row of each column, counted from 1; 0 for none. Column 0 is the start.
  std::vector<Index> previous(size);
  for (Index row = 1; row <= n; ++row) {
    row_of[0] = row;
    std::vector<double> least(size, kInfinity);
    std::vector<bool> is_used(size);
    std::size_t column = 0;
    while (row_of[column] != 0) {
      is_used[column] = true;
      const Index here = row_of[column];
      double delta = kInfinity;
      std::size_t next = 0;
      for (std::size_t j = 1; j < size; ++j) {
        if (is_used[j]) continue;
        const double cost = -gain(here - 1, static_cast<Index>(j) - 1) -
                            row_potential[static_cast<std::size_t>(here)] - column_potential[j];
        if (cost < least[j]) {
          least[j] = cost;
          previous[j] = static_cast<Index>(column);
        }
        if (least[j] < delta) {
          delta = least[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j < size; ++j) {
        if (is_used[j]) {
          row_potential[static_cast<std::size_t>(row_of[j])] += delta;
          column_potential[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      column = next;
    }
    while (column != 0) {
      const auto before = static_cast<std::size_t>(previous[column]);
      row_of[column] = row_of[before];
      column = before;
    }
  }
  std::vector<Index> column_of(static_cast<std::size_t>(n));
  for (std::size_t j = 1; j < size; ++j)
    column_of[static_cast<std::size_t>(row_of[j] - 1)] = static_cast<Index>(j) - 1;
  return column_of;
}

// Returns which component belongs in the place of each previous one. `cosines` is previous x components.
std::vector<Index> closest_order(const Matrix<double>& cosines, Index components) {
  std::vector<Index> order(static_cast<std::size_t>(components));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  // An entry above sqrt(1/2) is the largest of its row and of its column, so the present order is the best.
  const Index shared = std::min(cosines.rows(), components);
  if ((cosines.diagonal().head(shared).array().square() > 0.5).all()) return order;
  Matrix<double> gain = Matrix<double>::Zero(components, components);
  gain.topRows(shared) = cosines.topRows(shared).cwiseAbs2();
  return best_assignment(gain);
}

}  // namespace

template <typename T>
Model<T> aligned(Model<T> model, const Rows<T>& previous, Align align) {
  if (previous.cols() != model.features()) {
    throw std::invalid_argument("the previous components have " + std::to_string(previous.cols()) +
                                " features, but the model has " + std::to_string(model.features()));
  }
  if (align == Align::kNone) return model;
  const Index m = model.n_components;
  const auto basis = as_columns(model.basis).leftCols(m);
  const Index shared = std::min(previous.rows(), m);
  std::vector<Index> order(static_cast<std::size_t>(m));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  if (align == Align::kPreviousOrder) {
    const RowMatrix<double> from = as_eigen(previous).template cast<double>();
    const Matrix<double> to = basis.template cast<double>();
    order = closest_order(linalg::product(from, to), m);
  }
  std::vector<Index> axes;
  for (Index i = 0; i < m; ++i) {
    const Index place = order[static_cast<std::size_t>(i)];
    const double cosine = i < shared ? double{as_eigen(previous).row(i).dot(basis.col(place))} : 0.0;
    const int sign = cosine == 0.0 ? default_sign(model, place) : cosine < 0.0 ? -1 : 1;
    axes.push_back(sign * (place + 1));
  }
  model.axes = std::move(axes);
  return model;
}

template <typename T>
OwnedRows<double> rotation_between(const Model<T>& from, const Model<T>& to) {
  const auto require_equal = [](Index a, Index b, const char* what) {
    if (a == b) return;
    throw std::invalid_argument("cannot rotate between models with " + std::to_string(a) + " and " +
                                std::to_string(b) + " " + what);
  };
  require_equal(from.features(), to.features(), "features");
  require_equal(from.n_components, to.n_components, "components");
  const RowMatrix<double> a = as_eigen(from.components()).template cast<double>();
  const RowMatrix<double> b = as_eigen(to.components()).template cast<double>();
  return to_rows(linalg::polar_factor(linalg::product(a, b.transpose())));
}

template Model<float> aligned(Model<float>, const Rows<float>&, Align);
template Model<double> aligned(Model<double>, const Rows<double>&, Align);
template OwnedRows<double> rotation_between(const Model<float>&, const Model<float>&);
template OwnedRows<double> rotation_between(const Model<double>&, const Model<double>&);

}  // namespace roipca
