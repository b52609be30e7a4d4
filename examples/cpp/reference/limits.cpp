// Finds an unusual row, and the feature that makes it unusual.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <roipca/limits.hpp>
#include <roipca/online_pca.hpp>
#include <string>

int main() {
  // 500 rows of 4 sensors that follow the same load, each with a small wave of its own.
  roipca::OwnedRows<double> rows(500, 4);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) {
      rows(i, j) = std::sin(0.05 * i) + 0.1 * std::sin((i + 1.0) * (j + 2.0));
    }
  }
  roipca::OnlinePca<double> pca({.n_components = 1});
  const roipca::Model<double> model = pca.partial_fit(rows).model();

  // The third sensor is stuck at 1 while the others show 0.
  roipca::OwnedRows<double> row(1, 4);
  row(0, 2) = 1.0;

  const roipca::LimitRule rule = roipca::limit_rule_from_name("box");  // as in a file of settings
  const double limit = roipca::spe_limit(model, 0.99, rule);
  const double spe = model.spe(row)[0];
  std::printf("SPE %.3f, limit %.3f by %s\n", spe, limit, std::string(roipca::name(rule)).c_str());
  assert(spe > limit);
  // On the component itself, nothing is unusual.
  assert(model.t2(row)[0] < roipca::t2_limit(model, 0.99, roipca::LimitRule::kF));

  const roipca::OwnedRows<double> parts = roipca::spe_contributions<double>(model, row);
  assert(std::max_element(parts.row(0).begin(), parts.row(0).end()) - parts.row(0).begin() == 2);

  // The contributions of a row add up to its statistic.
  const roipca::OwnedRows<double> t2_parts = roipca::t2_contributions<double>(model, row);
  const double sum = std::accumulate(t2_parts.row(0).begin(), t2_parts.row(0).end(), 0.0);
  assert(std::abs(sum - model.t2(row)[0]) < 1e-9);
}
