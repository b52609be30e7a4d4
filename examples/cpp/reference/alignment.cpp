// Keeps the axes of a plot from flipping between two readings of a stream.
#include <cassert>
#include <cmath>
#include <numeric>
#include <roipca/alignment.hpp>
#include <roipca/online_pca.hpp>

int main() {
  // 400 rows of 5 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<double> rows(400, 5);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) rows(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }

  roipca::OnlinePca<double> pca({.n_components = 2});
  const roipca::Model<double> early = pca.partial_fit(rows.slice(0, 100)).model();
  roipca::Model<double> late = pca.partial_fit(rows.slice(100, 300)).model();

  // Each component of the later reading points to the same side as the earlier one at its place.
  const roipca::OwnedRows<double> before = early.components();
  late = roipca::aligned<double>(late, before, roipca::Align::kPreviousOrder);
  const roipca::OwnedRows<double> after = late.components();
  for (roipca::Index i = 0; i < 2; ++i) {
    const auto a = before.row(i);
    assert(std::inner_product(a.begin(), a.end(), after.row(i).begin(), 0.0) > 0.0);
  }

  // Old scores, turned into the new axes: nearly those that the later model computes.
  const roipca::OwnedRows<double> turn = roipca::rotation_between(early, late);
  const auto old_scores = early.transform(rows.slice(0, 1));
  const auto new_scores = late.transform(rows.slice(0, 1));
  for (roipca::Index j = 0; j < 2; ++j) {
    const double turned = old_scores(0, 0) * turn(0, j) + old_scores(0, 1) * turn(1, j);
    assert(std::abs(turned - new_scores(0, j)) < 0.1);
  }
}
