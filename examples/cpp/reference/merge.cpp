// Merges models of parts of the rows into a model of all of them.
#include <cassert>
#include <cmath>
#include <roipca/merge.hpp>
#include <span>
#include <variant>
#include <vector>

int main() {
  // 900 rows of 5 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<double> rows(900, 5);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) rows(i, j) = std::sin((i + 1.0) * (j + 1.0)) / (j + 1.0);
  }

  // Three machines fit a third of the rows each.
  std::vector<roipca::Model<double>> models;
  for (roipca::Index part = 0; part < 3; ++part) {
    roipca::OnlinePca<double> pca({.n_components = 2});
    models.push_back(pca.partial_fit(rows.slice(300 * part, 300)).model());
  }
  const auto all = roipca::merge(std::span<const roipca::Model<double>>(models));
  assert(all.rows == 900);

  roipca::OnlinePca<double> one_machine({.n_components = 2});
  const auto expected = one_machine.partial_fit(rows).model();
  assert(std::abs(all.explained_variance()[0] - expected.explained_variance()[0]) < 1e-9);

  // Older rows may count less: here, those of the first model half as much as those of the second.
  const auto recent = roipca::merge(models[0], models[1], 0.5);
  assert(recent.rows == 600 && recent.weight == 450.0);

  // A tree takes the models one after the other, as they arrive, and holds only a few of them.
  roipca::MergeTree<double> tree;
  tree.add(models[0]);
  tree.add_nothing();  // a part that had no rows
  tree.add(models[1]);
  tree.add(models[2]);
  assert(tree.result()->rows == 900);

  // Estimators of the exact method add their scatter matrices. The sum can learn more rows.
  roipca::MergeTree<double> scatters;
  for (roipca::Index part = 0; part < 3; ++part) {
    roipca::OnlinePca<double> pca({.n_components = 2, .method = roipca::Method::kExact});
    scatters.add(pca.partial_fit(rows.slice(300 * part, 300)));
  }
  auto sum = std::get<roipca::OnlinePca<double>>(*scatters.part());
  assert(sum.partial_fit(rows.slice(0, 1)).rows_seen() == 901);
}
