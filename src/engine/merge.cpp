#include "roipca/merge.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/block_update.hpp"
#include "engine/dense_stream.hpp"
#include "engine/make_model.hpp"
#include "engine/mergeable.hpp"
#include "engine/reported_spectrum.hpp"
#include "engine/standardized.hpp"
#include "linalg/products.hpp"
#include "model/fields.hpp"
#include "model/probe_directions.hpp"
#include "monitor/score_moments.hpp"
#include "options/resolved.hpp"
#include "rules/mu.hpp"

namespace roipca {
namespace {

template <typename T>
Index rank_of(const Model<T>& model) {
  return (as_eigen(model.eigenvalues).array() > 0.0).count();
}

template <typename Value>
void merge_values(Merging merging, Value& merged, const Value& a, const Value& b) {
  if (merging == Merging::kFirst) merged = a;
  if constexpr (std::is_arithmetic_v<Value>) {
    if (merging == Merging::kSum) merged = a + b;
  }
  if constexpr (requires { a.empty(); }) {
    if (merging == Merging::kNonempty) merged = a.empty() ? b : a;
  }
}

// Sketches never exceed the scatter, so nothing may be assumed for the part that they do not hold.
Mu mu_option(const Options& options) {
  const bool none = options.method == Method::kIpca || options.method == Method::kFrequentDirections;
  return none ? Mu::zero() : options.mu;
}

// Returns the eigenvalue assumed for those that the model does not hold.
template <typename T>
double mu_of(const Model<T>& model) {
  const Index held = capacity(with_choices(model), model.features()).held;
  return unheld_eigenvalue(mu_option(model.options), as_eigen(model.eigenvalues).head(rank_of(model)), held,
                           model.features(), model.scatter_trace, model.weight);
}

// Returns the weight of the values of each feature.
template <typename T>
Vector<double> observed(const Model<T>& model) {
  if (model.feature_weight.empty()) return Vector<double>::Constant(model.features(), model.weight);
  return as_eigen(model.feature_weight);
}

// Computes (mean, tail) as the exact sum of two numbers: the means times their fractions of the weight, and
// the rounding error.
template <typename T>
void merge_means(const Model<T>& a, const Vector<double>& share, const Vector<double>& jump, Model<T>& all) {
  const Vector<double> tail = as_eigen(a.mean_tail) + share.cwiseProduct(jump);
  all.mean = to_vector(as_eigen(a.mean) + tail);
  all.mean_tail = to_vector(tail - (as_eigen(all.mean) - as_eigen(a.mean)));
}

// Returns S Omega of all rows, for the probes that both models have. The sum of the two scatters grows by
// `step` step^T.
template <typename T>
std::vector<double> merge_probes(const Model<T>& a, const Model<T>& b, const Vector<double>& step) {
  const auto size = static_cast<Index>(std::min(a.probe_products.size(), b.probe_products.size()));
  if (size == 0) return {};
  const Index d = a.features();
  const Matrix<double> directions = probe_directions<T>(d, size / d).template cast<double>();
  const Matrix<double> of_step =
      linalg::product(step, linalg::apply(directions.transpose(), step).transpose());
  return to_vector(Vector<double>(
      (as_eigen(a.probe_products).head(size) + as_eigen(b.probe_products).head(size)) + of_step.reshaped()));
}

// Merges the fields that have no formula of their own.
template <typename T>
void merge_plain_values(const Model<T>& a, const Model<T>& b, Model<T>& all) {
  all.options = a.options;
  visit_values([](const ValueField& field, auto& merged, const auto& of_a,
                  const auto& of_b) { merge_values(field.merging, merged, of_a, of_b); },
               all, a, b);
  if (a.resolved.method == Method::kExact && b.resolved.method != Method::kExact) {
    // The merged model is not exact.
    all.options.method = b.options.method;
    all.resolved = b.resolved;
  }
}

// Returns a power of two that keeps products of eigenvalues in range and changes no digit.
template <typename T>
double unit_for(const Model<T>& model) {
  const double largest = std::max(model.scatter_trace, 0.0);
  return largest > 0.0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest) / 2, -500, 500)) : 1.0;
}

// Makes the spectrum of a merged model, in its unit, one that a model may report.
template <typename T>
void make_merged_reportable(const Model<T>& all, double unit, Spectrum<T>& spectrum) {
  const Vector<double> mean_squares =
      as_eigen(all.scatter) / all.weight * (unit * unit) + (unit * as_eigen(all.mean)).cwiseAbs2();
  Rounding rounding = rounding_of(with_choices(all), all.rows, mean_squares, all.degrees_of_freedom());
  rounding.components_rotate = true;  // merging rotates them, whatever the method
  make_reportable(spectrum, rounding);
}

template <typename T>
bool knows_scatter(const Model<T>& model) {
  return adds_scatters(with_choices(model), model.features());
}

template <typename T>
Model<T> merge_scatters(const Model<T>& a, const Model<T>& b) {
  DenseStream<T> sum(a);
  sum.merge(DenseStream<T>(b), 1.0);
  Model<T> all = sum.model();
  merge_plain_values(a, b, all);
  without_rounded_components(all);
  return all;
}

// Multiplies everything that depends on the weights by a factor.
template <typename T>
Model<T> faded(Model<T> model, double factor) {
  model.weight *= factor;
  if (!(model.weight > 0.0))
    throw std::invalid_argument("decay is too small: the rows of the first model would have no weight left");
  model.weight_pairs *= factor * factor;
  model.scatter_trace *= factor;
  for (auto* values : {&model.scatter, &model.feature_weight, &model.eigenvalues, &model.probe_products}) {
    for (double& value : *values) value *= factor;
  }
  return model;
}

}  // namespace

template <typename T>
void without_rounded_components(Model<T>& model) {
  const double unit = unit_for(model);
  Spectrum<T> spectrum = spectrum_of(model, unit);
  make_merged_reportable(model, unit, spectrum);
  as_eigen(model.eigenvalues).head(spectrum.values.size()) = spectrum.values / unit / unit;
}

template <typename T>
Model<T> merge(const Model<T>& a, const Model<T>& b, std::optional<double> decay) {
  check(a);
  check(b);
  require_mergeable(a, b, decay);
  return decay.value_or(1.0) == 1.0 ? merge_mergeable(a, b) : merge_mergeable(faded(a, *decay), b);
}

template <typename T>
Model<T> merge_mergeable(const Model<T>& a, const Model<T>& b) {
  if (!a.scale.empty()) return merge_standardized(a, b);
  if (knows_scatter(a) && knows_scatter(b)) return merge_scatters(a, b);
  const Index d = a.features();
  const Index held = std::max(capacity(with_choices(a), d).held, capacity(with_choices(b), d).held);
  const Vector<double> jump =
      (as_eigen(b.mean) - as_eigen(a.mean)) + (as_eigen(b.mean_tail) - as_eigen(a.mean_tail));

  Model<T> all;
  merge_plain_values(a, b, all);
  all.weight_pairs = a.weight_pairs + b.weight_pairs + a.weight * b.weight;
  // Per feature, because values may have been missing. The weight of a feature that was never present is
  // arbitrary.
  const Vector<double> of_a = observed(a);
  const Vector<double> of_b = observed(b);
  const Vector<double> of_both = (of_a + of_b).unaryExpr([](double w) { return w > 0.0 ? w : 1.0; });
  if (!a.feature_weight.empty() || !b.feature_weight.empty()) all.feature_weight = to_vector(of_a + of_b);
  merge_means(a, of_b.cwiseQuotient(of_both), jump, all);
  const Vector<double> root_pull = of_a.cwiseQuotient(of_both).cwiseProduct(of_b).cwiseSqrt();
  // Squared only after the product, because the squares of the jump itself may be out of range.
  const Vector<double> step = root_pull.cwiseProduct(jump);
  all.scatter = to_vector(as_eigen(a.scatter) + as_eigen(b.scatter) + step.cwiseAbs2());
  all.scatter_trace = a.scatter_trace + b.scatter_trace + step.squaredNorm();
  all.probe_products = merge_probes(a, b, step);

  const double unit = unit_for(all);
  const double unit_squared = unit * unit;

  HeldPairs<T> pairs(d, held);
  pairs.rank = rank_of(a);
  pairs.components.columns(pairs.rank) = as_columns(a.basis).leftCols(pairs.rank);
  pairs.values.head(pairs.rank) = as_eigen(a.eigenvalues).head(pairs.rank) * unit_squared;
  pairs.trace = a.scatter_trace * unit_squared;

  // S_b is mu_b I + sum (lambda_i - mu_b) q_i q_i^T: its components count as rows, and mu_b as a shift.
  const Index rank = rank_of(b);
  const double mu = mu_of(b);
  RowBlock<T> block(rank + 1, d);
  auto rows = block.rows.columns(rank + 1);
  const auto values = as_eigen(b.eigenvalues);
  for (Index i = 0; i < rank; ++i) {
    const double factor = std::sqrt(std::max(values[i] - mu, 0.0)) * unit;
    rows.col(i) = as_columns(b.basis).col(i) * static_cast<T>(factor);
  }
  rows.col(rank) = jump.cwiseProduct(root_pull * unit).template cast<T>();
  block.count = rank + 1;
  block.weight_before = a.weight;
  block.unit = unit;

  BlockUpdate<T> update(held, rank + 1);
  update.apply(pairs, block, mu_option(a.options), mu * unit_squared);
  update.settle(pairs);

  Spectrum<T> spectrum = {pairs.components.columns(pairs.rank), pairs.values.head(pairs.rank),
                          all.scatter_trace * unit_squared};
  make_merged_reportable(all, unit, spectrum);

  const Index columns = std::max(pairs.rank, all.n_components);
  all.basis.resize(columns, d);
  auto basis = as_columns(all.basis);
  basis.leftCols(pairs.rank) = spectrum.basis;
  complete<T>(basis, pairs.rank);
  all.eigenvalues.resize(static_cast<std::size_t>(columns));
  as_eigen(all.eigenvalues).head(pairs.rank) = spectrum.values / unit / unit;
  all.prequential = merged_scores(a.prequential, a.weight_pairs, b.prequential, b.weight_pairs,
                                  all.weight_pairs, ScoreWeights(all.options.forgetting));
  all.prequential = ScoreMoments(all.prequential, held).value(columns);
  return all;
}

template Model<float> merge(const Model<float>&, const Model<float>&, std::optional<double>);
template Model<double> merge(const Model<double>&, const Model<double>&, std::optional<double>);
template Model<float> merge_mergeable(const Model<float>&, const Model<float>&);
template Model<double> merge_mergeable(const Model<double>&, const Model<double>&);
template void without_rounded_components(Model<float>&);
template void without_rounded_components(Model<double>&);

}  // namespace roipca
