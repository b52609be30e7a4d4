// Asks five rules how many components the rows support.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <roipca/component_count.hpp>
#include <roipca/online_pca.hpp>
#include <string>
#include <vector>

int main() {
  // Eigenvalues of a covariance matrix of 500 rows and 10 features: three stand out, the others are noise.
  const std::vector<double> variances = {40.0, 18.0, 9.0, 1.15, 1.09, 1.03, 0.98, 0.93, 0.88, 0.83};
  roipca::VarianceSummary summary = {.leading = variances, .rows = 500, .centred = true, .features = 10};
  for (const double variance : variances) summary.total += variance;
  const roipca::ComponentCounts counts = roipca::suggest_components(summary);

  for (const auto& [rule, number] : counts.rules()) {
    std::printf("%s: %s\n", rule.c_str(), number ? std::to_string(*number).c_str() : "unknown");
  }
  for (const std::string& caution : counts.cautions) std::printf("caution: %s\n", caution.c_str());
  assert(counts.consensus == 3);
  assert(std::abs(counts.noise_variance - 1.0) < 0.05);

  // Each rule by its name. The broken stick keeps only what stands out most.
  assert(counts.gavish_donoho == 3 && counts.marchenko_pastur == 3 && counts.tracy_widom == 3);
  assert(counts.minka == 3);
  assert(counts.broken_stick <= 3);

  // Of a model, which knows these numbers: two waves in four features, and nothing else.
  roipca::OwnedRows<double> rows(200, 4);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    const double slow = std::sin(0.1 * i);
    const double fast = std::sin(1.0 * i);
    rows(i, 0) = slow + fast, rows(i, 1) = slow - fast, rows(i, 2) = 2.0 * slow, rows(i, 3) = fast;
  }
  roipca::OnlinePca<double> pca({.n_components = 3});
  assert(roipca::suggest_components(pca.partial_fit(rows).model()).consensus == 2);
}
