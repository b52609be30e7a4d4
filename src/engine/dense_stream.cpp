#include "engine/dense_stream.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/make_engine.hpp"
#include "engine/make_model.hpp"
#include "linalg/products.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "options/resolved.hpp"

namespace roipca {
namespace {

// The exact method has no error that probes could estimate.
Index probes_of(const Options& options, Index features) {
  return resolve(options, features) == Method::kExact ? 0 : options.probes;
}

}  // namespace

template <typename T>
DenseStream<T>::DenseStream(const Options& options, Index features)
    : options_(options),
      engine_(make_engine<T>(options, features)),
      intake_(options, features, engine_->block_rows()),
      scores_(scored_components(options, features)),
      probes_(features, probes_of(options, features), engine_->block_rows()) {
  if (options.missing == Missing::kImpute) imputation_.emplace(features, fill_components(options, features));
}

template <typename T>
DenseStream<T>::DenseStream(const Model<T>& model)
    : options_(with_choices(model)),
      engine_(make_engine<T>(options_, model.features())),
      intake_(model, engine_->block_rows()),
      scores_(model.prequential, scored_components(options_, model.features())),
      probes_(model, engine_->block_rows(), intake_.moments().unit()) {
  engine_->start(spectrum_of(model, intake_.moments().unit()));
  if (options_.missing == Missing::kError) return;
  const Index components = fill_components(options_, model.features());
  imputation_.emplace(model.features(), components);
  imputation_->use(fill_model(model), model.rows);
  empty_rows_ = model.empty_rows;
}

template <typename T>
DenseStream<T>::DenseStream(const DenseStream& other)
    : options_(other.options_),
      engine_(other.engine_->clone()),
      intake_(other.intake_),
      imputation_(other.imputation_),
      empty_rows_(other.empty_rows_),
      scores_(other.scores_),
      probes_(other.probes_) {}

template <typename T>
void DenseStream<T>::absorb(const GivenRows<T>& given, Index from, Index to) {
  given.check(from, to);
  if (given.units != nullptr || (imputation_ && given.gaps)) return absorb_in_units(given, from, to);
  absorb_checked(given, from, to);
}

template <typename T>
void DenseStream<T>::absorb_in_units(const GivenRows<T>& given, Index from, Index to) {
  constexpr Index kAtOnce = 32;
  in_units_.resize(kAtOnce, given.rows.cols());
  for (Index i = from; i < to; i += kAtOnce) {
    const Index count = std::min(kAtOnce, to - i);
    for (Index j = 0; j < count; ++j) {
      const T* const row = given.view(i + j, i + j + 1).data;
      if (given.units == nullptr) {
        std::copy_n(row, given.rows.cols(), in_units_.row(j).data());
      } else {
        to_units(*given.units, row, i + j, given.weight(i + j), in_units_.row(j).data());
      }
    }
    const Rows<T> rows(in_units_.data(), count, in_units_.cols());
    const Weights weights = given.weights.empty() ? given.weights : given.weights.slice(i, count);
    if (imputation_) {
      absorb_with_gaps({rows, weights, true});
    } else {
      absorb_checked({rows, weights, true}, 0, count);
    }
  }
}

// The rows are in in_units_.
template <typename T>
void DenseStream<T>::absorb_with_gaps(const GivenRows<T>& given) {
  const auto has_gap = [&](Index i) { return in_units_.row(i).hasNaN(); };
  for (Index i = 0; i < given.count();) {
    if (given.weight(i) > 0.0 && has_gap(i)) {
      add_filled(in_units_.row(i).data(), given.weight(i));
      ++i;
      continue;
    }
    Index end = i + 1;
    while (end < given.count() && !(given.weight(end) > 0.0 && has_gap(end))) ++end;
    absorb_checked(given, i, end);
    i = end;
  }
}

// Adds a row of positive weight with gaps, after filling them.
template <typename T>
void DenseStream<T>::add_filled(T* row, double weight) {
  const Index features = intake_.moments().features();
  const Eigen::Map<const Vector<T>> given(row, features);
  if (given.array().isNaN().all()) {
    ++empty_rows_;
    return;
  }
  update_fill_model();
  bool opens = !intake_.is_waiting();
  fill_gaps(row);
  while (!intake_.take_filled(row, deviations_, weight, imputation_->gaps())) {
    close_block();
    opens = true;
    // The mean has moved.
    for (const Index j : imputation_->gaps()) row[j] = std::numeric_limits<T>::quiet_NaN();
    fill_gaps(row);
  }
  if (opens && options_.forgetting < 1.0) imputation_->forget(options_.forgetting);
  imputation_->add_covariance(weight * intake_.growth() * intake_.part_in_scatter(weight));
  if (intake_.is_full()) close_block();
}

// Fills the gaps of a row, with deviations_ from the mean before the block.
template <typename T>
void DenseStream<T>::fill_gaps(T* row) {
  const Moments<T>& moments = intake_.moments();
  const Eigen::Map<const Vector<T>> given(row, moments.features());
  deviations_ = (given.template cast<double>() - moments.mean()) - moments.mean_tail();
  imputation_->fill(deviations_.data());
  for (const Index j : imputation_->gaps()) {
    row[j] = static_cast<T>(deviations_[j] + moments.mean_tail()[j] + moments.mean()[j]);
  }
}

// Adds a closed block to the components, and the scores of its rows to those before.
template <typename T>
void DenseStream<T>::absorb(RowBlock<T>& block, Engine<T>& engine, ScoreMoments& scores) const {
  block.scores.so_far = &scores.so_far();
  block.scores.unit = block.unit;
  engine.absorb(block);
  block.scores.so_far = nullptr;
  scores.add(block.scores, block.count, ScoreWeights(options_.forgetting).of_last(block.pairs_share),
             block.unit);
}

template <typename T>
void DenseStream<T>::close_block() {
  RowBlock<T>& block = intake_.close();
  probes_.add(block);
  absorb(block, *engine_, scores_);
  if (imputation_ && block.decay != 1.0) imputation_->forget(block.decay);
  intake_.open();
}

// Updates the model for filling from the rows in closed blocks, if there are many more of them than at the
// last update: as many as a block has, and later a sixteenth of them, or half of them for the scatter, which
// takes longer to read.
template <typename T>
void DenseStream<T>::update_fill_model() {
  const std::int64_t rows = intake_.rows() - intake_.waiting();
  const bool is_exact = resolve(options_, intake_.moments().features()) == Method::kExact;
  if (!imputation_->is_outdated(rows, engine_->block_rows(), is_exact ? 0.5 : 1.0 / 16.0,
                                options_.forgetting)) {
    return;
  }
  add_covariance(*imputation_, intake_, *engine_);
  const Spectrum<T> spectrum = engine_->spectrum();
  const Moments<T>& moments = intake_.moments();
  const double factor = 1.0 / moments.unit() / moments.unit() / moments.weight();
  const Index count = std::min(imputation_->most_components(), spectrum.basis.cols());
  imputation_->use(
      FillModel::of<T>(spectrum.basis.leftCols(count), spectrum.values.head(count) * factor,
                       spectrum.trace * factor, moments.mean_squared_deviations(), moments.counting_rows()),
      rows);
}

// Adds the covariance that filled values lack: its part within the components as rows without weight, and the
// rest feature by feature.
template <typename T>
void DenseStream<T>::add_covariance(Imputation& imputation, Intake<T>& intake, Engine<T>& engine) {
  if (!imputation.has_covariance()) return;
  Moments<T>& moments = intake.moments();
  const double unit = moments.unit();
  const Index components = imputation.model().components();
  Vector<double> inside = Vector<double>::Zero(moments.features());
  if (components > 0) {
    linalg::SymmetricEigen eigen(components);
    eigen.compute(imputation.inner());
    const Vector<double> roots = unit * eigen.values().cwiseMax(0.0).cwiseSqrt();
    const Matrix<double> rows =
        linalg::product(imputation.model().basis, eigen.vectors(components)) * roots.asDiagonal();
    inside = rows.rowwise().squaredNorm();
    RowBlock<T> block(engine.block_rows(), moments.features());
    for (Index first = 0; first < components; first += block.capacity()) {
      block.count = std::min(block.capacity(), components - first);
      block.rows.columns(block.count) = rows.middleCols(first, block.count).template cast<T>();
      block.weight_before = moments.weight();
      block.unit = unit;
      engine.absorb(block);
    }
  }
  engine.spread(imputation.variance() * unit * unit - inside);
  moments.add_scatter(imputation.variance());
  imputation.take_out_covariance();
}

template <typename T>
void DenseStream<T>::fill_by(const FillModel& model, std::int64_t rows) {
  imputation_->use(model, rows);
}

template <typename T>
void DenseStream<T>::fill_only_by(const FillModel& model) {
  imputation_->use(model, 0);
  imputation_->freeze();
}

template <typename T>
void DenseStream<T>::absorb_checked(const GivenRows<T>& given, Index from, Index to) {
  for (Index i = from; i < to;) {
    // A run of rows that count.
    while (i < to && given.weight(i) == 0.0) ++i;
    Index end = i;
    while (end < to && given.weight(end) > 0.0) ++end;
    if (end > i) add(given.view(i, end), given.weights_from(i));
    i = end;
  }
}

template <typename T>
void DenseStream<T>::add(simd::RowsView<T> rows, const double* weights) {
  while (rows.count > 0) {
    if (imputation_ && !intake_.is_waiting()) imputation_->forget(options_.forgetting);
    const Index taken = intake_.take(rows, weights);
    rows.data += taken * rows.stride;
    rows.count -= taken;
    if (weights != nullptr) weights += taken;
    if (rows.count == 0 && !intake_.is_full()) break;
    close_block();
  }
}

template <typename T>
void DenseStream<T>::set_learning_rate(const LearningRate& rate) {
  options_.learning_rate = rate;
  auto engine = make_engine<T>(options_, intake_.moments().features());
  engine->start(engine_->spectrum());
  engine_ = std::move(engine);
}

template <typename T>
void DenseStream<T>::merge(const DenseStream& other, double decay) {
  if (intake_.is_waiting()) close_block();
  if (other.intake_.is_waiting()) {
    DenseStream closed(other);
    closed.close_block();
    return merge(closed, decay);
  }
  const Moments<T>& moments = intake_.moments();
  const double pairs = moments.weight_pairs() * decay * decay;
  engine_->merge(*other.engine_, intake_.merge(other.intake_, decay));
  const Index components = scored_components(options_, moments.features());
  scores_ = ScoreMoments(merged_scores(scores_.value(components), pairs, other.scores_.value(components),
                                       other.intake_.moments().weight_pairs(), moments.weight_pairs(),
                                       ScoreWeights(options_.forgetting)),
                         components);
}

template <typename T>
Model<T> DenseStream<T>::written(const Intake<T>& intake, const Spectrum<T>& spectrum,
                                 const ScoreMoments& scores, const ProbeSums<T>& probes) const {
  Model<T> model = make_model(options_, intake.rows(), intake.moments(), spectrum, scores);
  probes.write(model, intake.moments().unit());
  return model;
}

template <typename T>
Model<T> DenseStream<T>::model() const {
  const bool lacks_covariance = imputation_ && imputation_->has_covariance();
  if (!intake_.is_waiting() && !lacks_covariance) {
    return written(intake_, engine_->spectrum(), scores_, probes_);
  }
  auto intake = intake_;
  const auto engine = engine_->clone();
  auto scores = scores_;
  auto probes = probes_;
  auto imputation = imputation_;
  if (intake.is_waiting()) {
    RowBlock<T>& block = intake.close();
    probes.add(block);
    absorb(block, *engine, scores);
    if (imputation) imputation->forget(block.decay);
  }
  if (imputation) add_covariance(*imputation, intake, *engine);
  return written(intake, engine->settle(), scores, probes);
}

template <typename T>
std::optional<Model<T>> DenseStream<T>::reported(double tolerance) const {
  // The error that probes tell depends on all components.
  if (options_.probes > 0 || imputation_ || !engine_->has_reported_spectrum(tolerance)) return std::nullopt;
  if (intake_.is_waiting()) {
    DenseStream closed(*this);
    closed.close_block();
    return closed.reported(tolerance);
  }
  const auto spectrum = engine_->reported_spectrum(tolerance);
  if (!spectrum) return std::nullopt;
  Model<T> model = written(intake_, *spectrum, scores_, probes_);
  // A variance that is only rounding may be reported in another place.
  if (!(model.eigenvalues.back() > 0.0)) return std::nullopt;
  return model;
}

template <typename T>
std::vector<double> DenseStream<T>::learning_rates() const {
  const double unit = intake_.moments().unit();
  auto rates = engine_->learning_rates();
  for (double& rate : rates) rate *= unit * unit;
  return rates;
}

template class DenseStream<float>;
template class DenseStream<double>;

}  // namespace roipca
