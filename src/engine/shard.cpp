#include "engine/shard.hpp"

#include <algorithm>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/block_rule.hpp"
#include "engine/make_rule.hpp"
#include "engine/reported_spectrum.hpp"
#include "intake/moments.hpp"

namespace roipca {
namespace {

// The eigenpairs of a model, in a unit. Columns without an eigenvalue only filled up the reported ones.
template <typename T>
Spectrum<T> spectrum_of(const Model<T>& model, double unit) {
  const Index rank = (model.eigenvalues.array() > 0.0).count();
  Spectrum<T> spectrum;
  spectrum.basis = model.basis.leftCols(rank);
  spectrum.values = model.eigenvalues.head(rank) * unit * unit;
  spectrum.trace = model.scatter_trace * unit * unit;
  return spectrum;
}

template <typename T>
Model<T> make_model(const Options& options, std::int64_t rows, const Moments<T>& moments,
                    Spectrum<T> spectrum) {
  Model<T> model;
  model.options = options;
  model.options.method = resolve(options, moments.features());
  model.n_components = capacity(options, moments.features()).reported;
  model.rows = rows;
  moments.write(model);
  make_reportable(spectrum, rounding_of(options, rows, moments.mean_squares(), model.degrees_of_freedom()));
  const Index rank = spectrum.basis.cols();
  const Index columns = std::max(rank, model.n_components);
  model.basis = std::move(spectrum.basis);
  model.basis.conservativeResize(Eigen::NoChange, columns);
  complete<T>(model.basis, rank);
  model.scatter_trace = to_raw(spectrum.trace, moments.unit());
  model.eigenvalues = Vector<double>::Zero(columns);
  for (Index i = 0; i < rank; ++i) model.eigenvalues[i] = to_raw(spectrum.values[i], moments.unit());
  return model;
}

template <typename T>
class RowShard final : public Shard<T> {
 public:
  RowShard(const Options& options, Index features)
      : options_(options), moments_(features, options.center), rule_(make_rule<T>(options, features)) {}
  explicit RowShard(const Model<T>& model)
      : options_(model.options),
        rows_(model.rows),
        moments_(model),
        rule_(make_rule<T>(model.options, model.features())) {
    rule_->start(spectrum_of(model, moments_.unit()));
  }
  RowShard(const RowShard& other)
      : options_(other.options_), rows_(other.rows_), moments_(other.moments_), rule_(other.rule_->clone()) {}

  std::unique_ptr<Shard<T>> clone() const override { return std::make_unique<RowShard>(*this); }

  void absorb(simd::RowsView<T> rows, const double* weights) override {
    for (Index i = 0; i < rows.count; ++i) {
      absorb_row(rows.data + i * rows.stride, weights == nullptr ? 1.0 : weights[i]);
    }
  }

  void set_learning_rate(const LearningRate& rate) override {
    options_.learning_rate = rate;
    auto rule = make_rule<T>(options_, moments_.features());
    rule->start(rule_->spectrum());
    rule_ = std::move(rule);
  }

  std::int64_t rows() const override { return rows_; }
  Model<T> model() const override { return make_model(options_, rows_, moments_, rule_->spectrum()); }

  std::vector<double> learning_rates() const override {
    auto rates = rule_->learning_rates();
    for (double& rate : rates) rate *= moments_.unit() * moments_.unit();
    return rates;
  }

  void visit_state(state::Archive& archive) override { archive(rows_, moments_, *rule_); }

 private:
  void absorb_row(const T* row, double weight) {
    if (options_.forgetting < 1.0) {
      moments_.forget(options_.forgetting);
      rule_->rescale(options_.forgetting);
    }
    auto [step, rescale] = moments_.add(row, weight, rule_->slot());
    if (rescale != 1.0) rule_->rescale(rescale);
    step.rows_before = rows_++;
    if (step.squared_norm > 0.0) rule_->absorb_slot(step);
  }

  Options options_;
  std::int64_t rows_ = 0;
  Moments<T> moments_;
  std::unique_ptr<Rule<T>> rule_;
};

template <typename T>
class BlockShard final : public Shard<T> {
 public:
  BlockShard(const Options& options, Index features)
      : options_(options),
        moments_(features, options.center),
        block_(block_rows(options, features), features),
        rule_(make_block_rule<T>(options, features)) {}
  explicit BlockShard(const Model<T>& model)
      : options_(model.options),
        rows_(model.rows),
        moments_(model),
        block_(block_rows(model.options, model.features()), model.features()),
        rule_(make_block_rule<T>(model.options, model.features())) {
    rule_->start(spectrum_of(model, moments_.unit()));
  }
  BlockShard(const BlockShard& other)
      : options_(other.options_),
        rows_(other.rows_),
        moments_(other.moments_),
        block_(other.block_),
        rule_(other.rule_->clone()) {}

  std::unique_ptr<Shard<T>> clone() const override { return std::make_unique<BlockShard>(*this); }

  void absorb(simd::RowsView<T> rows, const double* weights) override {
    rows_ += rows.count;
    while (rows.count > 0) {
      const Index taken = moments_.collect(rows, weights, options_.forgetting, block_);
      rows.data += taken * rows.stride;
      rows.count -= taken;
      if (weights != nullptr) weights += taken;
      if (rows.count > 0 || block_.full()) flush();
    }
  }

  std::int64_t rows() const override { return rows_; }

  Model<T> model() const override {
    if (block_.count > 0) {
      BlockShard settled(*this);
      settled.flush();
      return settled.model();
    }
    return make_model(options_, rows_, moments_, rule_->spectrum());
  }

  void visit_state(state::Archive& archive) override { archive(rows_, moments_, block_, *rule_); }

 private:
  void flush() {
    const double decay = moments_.close(block_);
    if (block_.rescale != 1.0) rule_->rescale(block_.rescale);
    rule_->absorb(block_);
    if (decay < 1.0) rule_->rescale(decay);
    block_.clear();
  }

  Options options_;
  std::int64_t rows_ = 0;
  Moments<T> moments_;
  RowBlock<T> block_;
  std::unique_ptr<BlockRule<T>> rule_;
};

}  // namespace

template <typename T>
std::unique_ptr<Shard<T>> make_shard(const Options& options, Index features) {
  capacity(options, features);  // refuses more components than features
  if (by_blocks(options, features)) return std::make_unique<BlockShard<T>>(options, features);
  return std::make_unique<RowShard<T>>(options, features);
}

template <typename T>
std::unique_ptr<Shard<T>> make_shard(const Model<T>& model) {
  if (by_blocks(model.options, model.features())) return std::make_unique<BlockShard<T>>(model);
  return std::make_unique<RowShard<T>>(model);
}

template std::unique_ptr<Shard<float>> make_shard(const Options&, Index);
template std::unique_ptr<Shard<double>> make_shard(const Options&, Index);
template std::unique_ptr<Shard<float>> make_shard(const Model<float>&);
template std::unique_ptr<Shard<double>> make_shard(const Model<double>&);

}  // namespace roipca
