#include "engine/shard.hpp"

#include <algorithm>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/make_rule.hpp"

namespace roipca {

template <typename T>
Shard<T>::Shard(const Options& options, Index features)
    : options_(options), moments_(features, options.center), rule_(make_rule<T>(options, features)) {}

template <typename T>
Shard<T>::Shard(const Model<T>& model)
    : options_(model.options),
      rows_(model.rows),
      moments_(model),
      rule_(make_rule<T>(model.options, model.features())) {
  // Columns without an eigenvalue only filled up the reported ones.
  const Index rank = (model.eigenvalues.array() > 0.0).count();
  const double unit = moments_.unit();
  Spectrum<T> spectrum;
  spectrum.basis = model.basis.leftCols(rank);
  spectrum.values = model.eigenvalues.head(rank) * unit * unit;
  spectrum.trace = model.scatter_trace * unit * unit;
  rule_->start(spectrum);
}

template <typename T>
Shard<T>::Shard(const Shard& other)
    : options_(other.options_), rows_(other.rows_), moments_(other.moments_), rule_(other.rule_->clone()) {}

template <typename T>
void Shard<T>::absorb(const T* row, double weight) {
  if (options_.forgetting < 1.0) {
    moments_.forget(options_.forgetting);
    rule_->rescale(options_.forgetting);
  }
  auto [step, rescale] = moments_.add(row, weight, rule_->slot());
  if (rescale != 1.0) rule_->rescale(rescale);
  step.rows_before = rows_++;
  if (step.squared_norm > 0.0) rule_->absorb_slot(step);
}

template <typename T>
void Shard<T>::set_learning_rate(const LearningRate& rate) {
  Options options = options_;
  options.learning_rate = rate;
  auto rule = make_rule<T>(options, moments_.features());
  rule->start(rule_->spectrum());
  rule_ = std::move(rule);
  options_ = options;
}

template <typename T>
Model<T> Shard<T>::model() const {
  Model<T> model;
  model.options = options_;
  model.options.method = resolve(options_, moments_.features());
  model.n_components = capacity(options_, moments_.features()).reported;
  model.rows = rows_;
  moments_.write(model);
  auto spectrum = rule_->spectrum();
  const Index rank = spectrum.basis.cols();
  const Index columns = std::max(rank, model.n_components);
  model.basis = std::move(spectrum.basis);
  model.basis.conservativeResize(Eigen::NoChange, columns);
  complete<T>(model.basis, rank);
  model.scatter_trace = to_raw(spectrum.trace, moments_.unit());
  model.eigenvalues = Vector<double>::Zero(columns);
  for (Index i = 0; i < rank; ++i) model.eigenvalues[i] = to_raw(spectrum.values[i], moments_.unit());
  return model;
}

template <typename T>
std::vector<double> Shard<T>::learning_rates() const {
  auto rates = rule_->learning_rates();
  for (double& rate : rates) rate *= moments_.unit() * moments_.unit();
  return rates;
}

template class Shard<float>;
template class Shard<double>;

}  // namespace roipca
