// Reads a model: what it knows about the rows, about itself, and about new rows.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <optional>
#include <roipca/model.hpp>
#include <roipca/online_pca.hpp>
#include <vector>

namespace {

void print(const char* title, const std::vector<double>& numbers) {
  std::printf("%s:", title);
  for (const double number : numbers) std::printf(" %.3g", number);
  std::printf("\n");
}

// What the model says of the rows that it has seen.
void describe(const roipca::Model<double>& model) {
  std::printf("%d rows of %d features, %d before them, %d empty; %d components of %d held\n",
              static_cast<int>(model.rows), static_cast<int>(model.features()),
              static_cast<int>(model.rows_before), static_cast<int>(model.empty_rows),
              static_cast<int>(model.n_components), static_cast<int>(model.basis.rows()));
  print("mean", model.mean);
  print("variance of each feature", model.feature_variance());
  print("variance of each component", model.explained_variance());
  print("as parts of the total", model.explained_variance_ratio());
  print("singular values", model.singular_values());
  std::printf("variance in other directions: %.3g\n", model.noise_variance());
  if (!model.scale.empty()) print("deviations over the scales in use", model.scale_ratio());
  if (const std::optional<roipca::WrongScale> wrong = model.worst_scale()) {
    std::printf("feature %d has %.3g times the deviation of the first rows, and %d features are far off\n",
                static_cast<int>(wrong->feature), wrong->ratio, static_cast<int>(wrong->count));
  }

  // Rows that were scored before they were learned, and what changed during the stream.
  const roipca::Prequential& scored = model.prequential;
  if (scored.rows > 0 && scored.coverage > 0.5) {
    print("mean of T^2, by components", scored.t2_mean);
    print("mean of SPE, by components", scored.spe_mean);
    assert(scored.t2_spread.size() == scored.t2_third.size());
    assert(scored.spe_spread.size() == scored.spe_third.size());
  }
  const roipca::Change& change = model.change;
  std::printf("%d changes in %d rows, the latest at row %d; score now %.2f\n", static_cast<int>(change.count),
              static_cast<int>(change.rows), static_cast<int>(change.row), change.score);
}

// The sums that these results come from.
void show_that_variances_are_sums(const roipca::Model<double>& model) {
  const double n = model.degrees_of_freedom();
  assert(std::abs(n - 2.0 * model.weight_pairs / model.weight) < 1e-9 * n);
  assert(std::abs(model.explained_variance()[0] - model.eigenvalues[0] / n) < 1e-9);
  assert(std::abs(model.feature_variance()[0] - model.scatter[0] / n) < 1e-9);
  assert(model.trace() == model.scatter_trace);
  assert(model.mean_tail.size() == model.mean.size());
}

}  // namespace

int main() {
  // 500 rows of 4 features, of which the first two follow each other.
  roipca::OwnedRows<double> rows(500, 4);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    rows(i, 0) = 10.0 + std::sin(0.1 * i);
    rows(i, 1) = 5.0 + 2.0 * std::sin(0.1 * i) + 0.01 * std::sin(1.0 * i);
    rows(i, 2) = 0.1 * std::cos(2.0 * i);
    rows(i, 3) = 0.05 * std::cos(3.0 * i);
  }
  roipca::OnlinePca<double> pca({.n_components = 2, .missing = roipca::Missing::kImpute});
  roipca::Model<double> model = pca.partial_fit(rows).model();
  model.feature_names = {"load", "power", "noise", "hum"};
  model.parameters = "rows of Monday";
  roipca::check(model);  // throws if something in it does not fit
  describe(model);
  show_that_variances_are_sums(model);

  // New rows: their scores, the rows of these scores, and how unusual they are.
  const roipca::Rows<double> first = rows.slice(0, 1);
  const roipca::OwnedRows<double> scores = model.transform(first);
  const roipca::OwnedRows<double> back = model.inverse_transform(scores);
  assert(std::abs(back(0, 0) - rows(0, 0)) < 0.1);
  const roipca::OwnedRows<double> strange(1, 4);  // zeros, far from all that was seen
  assert(model.t2(strange)[0] > model.t2(first)[0]);
  assert(model.spe(strange)[0] > model.spe(first)[0]);
  assert(model.log_likelihood(strange)[0] < model.log_likelihood(first)[0]);

  // A missing value, replaced by what the others make likely.
  roipca::OwnedRows<double> gap(1, 4);
  gap(0, 0) = 11.0;
  gap(0, 1) = NAN;
  assert(std::abs(model.impute(gap)(0, 1) - 7.0) < 0.1);

  // Fewer components of the same model: as many as explain nine tenths of the variance.
  const std::optional<roipca::Index> enough = roipca::components_explaining(model, 0.9);
  assert(enough == 1);
  const roipca::Model<double> smaller = roipca::reporting(model, *enough);
  assert(smaller.components().rows() == 1 && smaller.options.n_components == 1);

  // The components, without a copy if the basis has them as they are shown.
  const roipca::OwnedRows<double> components = model.components();
  const bool is_there = model.is_stored_as_shown();
  assert(!is_there || components.row(1)[0] == model.basis.row(1)[0]);

  // How the model came about.
  assert(model.resolved.method != roipca::Method::kAuto);
  assert(model.passes == 1 && model.shift == 0.0 && model.turns.empty());  // not refined
  assert(model.probe_products.empty() && model.axes.empty());              // no probes, no alignment
  assert(model.feature_weight.empty());                                    // no value was missing
}
