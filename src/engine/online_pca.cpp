#include "roipca/online_pca.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/moments.hpp"
#include "engine/row_check.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/learning_rate.hpp"
#include "rules/rule.hpp"

namespace roipca {
namespace {

constexpr Index kStartRows = 500;   // of `fit`, for the batch that it starts from: the paper's n_0
constexpr Index kTuningRows = 200;  // collected to tune a learning rate on, where there is no such batch

// The first rows up to the kStartRows-th that counts.
Index start_count(Index rows, const Weights& weights) {
  if (weights.size() == 0) return std::min(rows, kStartRows);
  Index count = 0;
  for (Index used = 0; count < rows && used < kStartRows; ++count) used += weights[count] > 0.0 ? 1 : 0;
  return count;
}

bool awaits_tuning(const Options& options) {
  return (options.method == Method::kGha || options.method == Method::kOja) &&
         options.learning_rate.kind == LearningRate::Kind::kTuned && options.learning_rate.c == 0.0;
}

}  // namespace

template <typename T>
class OnlinePca<T>::Impl {
 public:
  explicit Impl(const Options& options) : options_(options), moments_(0, options.center) { check(options); }

  explicit Impl(const Model<T>& model)
      : options_(model.options), rows_(model.rows), moments_((check(model), model)), v_(model.features()) {
    begin_rule(model);
  }

  Impl(const Impl& other)
      : options_(other.options_),
        rows_(other.rows_),
        moments_(other.moments_),
        rule_(other.rule_ ? other.rule_->clone() : nullptr),
        v_(other.v_),
        tuning_rows_(other.tuning_rows_),
        collected_(other.collected_) {}
  Impl(Impl&&) noexcept = default;
  Impl& operator=(const Impl&) = delete;
  Impl& operator=(Impl&&) noexcept = default;
  ~Impl() = default;

  const Options& options() const { return options_; }
  Index features() const { return moments_.features(); }
  std::int64_t rows() const { return rows_; }

  void fit(const Rows<T>& rows, const Weights& weights) {
    check_rows<T>(rows, weights, 0);
    Impl fresh(untuned());
    const Index count = start_count(rows.rows(), weights);
    const auto part = [&](Index from, Index n) -> Weights {
      return weights.size() == 0 ? weights : weights.segment(from, n);
    };
    auto model = batch_pca<T>(rows.topRows(count), fresh.options_, part(0, count));
    if (awaits_tuning(fresh.options_) && count >= kTuningMinimum) {
      model.options.learning_rate.c = tune_learning_rate<T>(rows.topRows(count), fresh.options_);
    }
    fresh = Impl(model);
    if (count < rows.rows()) {
      fresh.absorb(rows.bottomRows(rows.rows() - count), part(count, rows.rows() - count));
    }
    *this = std::move(fresh);
  }

  void partial_fit(const Rows<T>& rows, const Weights& weights) {
    check_rows<T>(rows, weights, features());
    if (weights.size() > 0 && weights.maxCoeff() == 0.0) return;  // leaves the width open, too
    if (!rule_) {
      Moments<T> moments(rows.cols(), options_.center);
      v_.resize(rows.cols());
      rule_ = make_rule<T>(options_, rows.cols());
      moments_ = std::move(moments);
    }
    if (!awaits_tuning(options_)) return absorb(rows, weights);
    // Tuning may run out of memory half-way.
    Impl next(*this);
    next.absorb(rows, weights);
    *this = std::move(next);
  }

  Model<T> model() const {
    if (rows_ == 0) throw std::logic_error("there is no model before the first row");
    const auto [reported, held] = capacity(options_, features());
    Model<T> model;
    model.options = options_;
    model.n_components = reported;
    model.rows = rows_;
    moments_.write(model);
    auto spectrum = rule_->spectrum();
    const Index rank = spectrum.basis.cols();
    const Index columns = std::max(rank, reported);
    model.basis = std::move(spectrum.basis);
    model.basis.conservativeResize(Eigen::NoChange, columns);
    complete<T>(model.basis, rank);
    model.scatter_trace = to_raw(spectrum.trace, moments_.unit());
    model.eigenvalues = Vector<double>::Zero(columns);
    for (Index i = 0; i < rank; ++i) model.eigenvalues[i] = to_raw(spectrum.values[i], moments_.unit());
    return model;
  }

  std::vector<double> learning_rates() const {
    if (!rule_) return {};
    auto rates = rule_->learning_rates();
    for (double& rate : rates) rate *= moments_.unit() * moments_.unit();
    return rates;
  }

 private:
  Options untuned() const {
    Options options = options_;
    if (options.learning_rate.kind == LearningRate::Kind::kTuned) options.learning_rate.c = 0.0;
    return options;
  }

  // Columns without an eigenvalue only filled up the reported ones.
  void begin_rule(const Model<T>& model) {
    const Index rank = (model.eigenvalues.array() > 0.0).count();
    const double unit = moments_.unit();
    Spectrum<T> spectrum;
    spectrum.basis = model.basis.leftCols(rank);
    spectrum.values = model.eigenvalues.head(rank) * unit * unit;
    spectrum.trace = model.scatter_trace * unit * unit;
    rule_ = make_rule<T>(options_, model.features());
    rule_->start(spectrum);
  }

  void absorb(const Rows<T>& rows, const Weights& weights) {
    for (Index i = 0; i < rows.rows(); ++i) {
      const double weight = weights.size() == 0 ? 1.0 : weights[i];
      if (weight > 0.0) absorb_row(rows.data() + i * rows.outerStride(), weight);
    }
  }

  void absorb_row(const T* row, double weight) {
    if (options_.forgetting < 1.0) {
      moments_.forget(options_.forgetting);
      rule_->rescale(options_.forgetting);
    }
    auto [step, rescale] = moments_.add(row, weight, v_);
    if (rescale != 1.0) rule_->rescale(rescale);
    step.rows_before = rows_;
    if (step.squared_norm > 0.0) rule_->absorb(v_, step);
    ++rows_;
    if (awaits_tuning(options_)) collect(row);
  }

  void collect(const T* row) {
    if (tuning_rows_.size() == 0) tuning_rows_.resize(kTuningRows, features());
    tuning_rows_.row(collected_++) = Eigen::Map<const Vector<T>>(row, features());
    if (collected_ < kTuningRows) return;
    options_.learning_rate.c = tune_learning_rate<T>(tuning_rows_, options_);
    auto tuned = make_rule<T>(options_, features());
    tuned->start(rule_->spectrum());
    rule_ = std::move(tuned);
    tuning_rows_.resize(0, 0);
  }

  Options options_;
  std::int64_t rows_ = 0;
  Moments<T> moments_;
  std::unique_ptr<Rule<T>> rule_;
  Vector<T> v_;
  RowMatrix<T> tuning_rows_;
  Index collected_ = 0;
};

template <typename T>
OnlinePca<T>::OnlinePca(const Options& options) : impl_(std::make_unique<Impl>(options)) {}

template <typename T>
OnlinePca<T>::OnlinePca(Resumed resumed) : impl_(std::make_unique<Impl>(*resumed.model)) {}

template <typename T>
OnlinePca<T>::OnlinePca(const OnlinePca& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}

template <typename T>
OnlinePca<T>::OnlinePca(OnlinePca&& other) noexcept = default;

template <typename T>
OnlinePca<T>& OnlinePca<T>::operator=(OnlinePca other) noexcept {
  impl_ = std::move(other.impl_);
  return *this;
}

template <typename T>
OnlinePca<T>::~OnlinePca() = default;

template <typename T>
OnlinePca<T>& OnlinePca<T>::fit(const Rows<T>& rows, const Weights& weights) {
  impl_->fit(rows, weights);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::partial_fit(const Rows<T>& rows, const Weights& weights) {
  impl_->partial_fit(rows, weights);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::update(const Row<T>& row, double weight) {
  const Eigen::Map<const RowMatrix<T>> rows(row.data(), 1, row.size());
  impl_->partial_fit(rows, Eigen::Map<const Eigen::VectorXd>(&weight, 1));
  return *this;
}

template <typename T>
Model<T> OnlinePca<T>::model() const {
  return impl_->model();
}

template <typename T>
const Options& OnlinePca<T>::options() const {
  return impl_->options();
}

template <typename T>
Index OnlinePca<T>::features() const {
  return impl_->features();
}

template <typename T>
std::int64_t OnlinePca<T>::rows_seen() const {
  return impl_->rows();
}

template <typename T>
std::vector<double> OnlinePca<T>::learning_rates() const {
  return impl_->learning_rates();
}

template class OnlinePca<float>;
template class OnlinePca<double>;

}  // namespace roipca
