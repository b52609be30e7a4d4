#include "engine/stream.hpp"

#include <algorithm>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/make_engine.hpp"
#include "engine/reported_spectrum.hpp"
#include "options/resolved.hpp"

namespace roipca {
namespace {

// The eigenpairs of a model, in a unit. Columns without an eigenvalue only filled up the reported ones.
template <typename T>
Spectrum<T> spectrum_of(const Model<T>& model, double unit) {
  const Index rank = (as_eigen(model.eigenvalues).array() > 0.0).count();
  Spectrum<T> spectrum;
  spectrum.basis = as_columns(model.basis).leftCols(rank);
  spectrum.values = as_eigen(model.eigenvalues).head(rank) * unit * unit;
  spectrum.trace = model.scatter_trace * unit * unit;
  return spectrum;
}

template <typename T>
Model<T> make_model(const Options& options, std::int64_t rows, const Moments<T>& moments,
                    Spectrum<T> spectrum) {
  Model<T> model;
  model.options = options;
  model.resolved.method = resolve(options, moments.features());
  model.n_components = capacity(options, moments.features()).reported;
  model.rows = rows;
  moments.write(model);
  make_reportable(spectrum, rounding_of(options, rows, moments.mean_squares(), model.degrees_of_freedom()));
  const Index rank = spectrum.basis.cols();
  const Index columns = std::max(rank, model.n_components);
  model.basis.resize(columns, moments.features());
  auto basis = as_columns(model.basis);
  basis.leftCols(rank) = spectrum.basis;
  complete<T>(basis, rank);
  model.scatter_trace = to_raw(spectrum.trace, moments.unit());
  model.eigenvalues.resize(static_cast<std::size_t>(columns));
  auto eigenvalues = as_eigen(model.eigenvalues);
  for (Index i = 0; i < rank; ++i) eigenvalues[i] = to_raw(spectrum.values[i], moments.unit());
  return model;
}

}  // namespace

template <typename T>
Stream<T>::Stream(const Options& options, Index features)
    : options_(options),
      engine_(make_engine<T>(options, features)),
      intake_(options, features, engine_->block_rows()) {}

template <typename T>
Stream<T>::Stream(const Model<T>& model)
    : options_(with_choices(model)),
      engine_(make_engine<T>(options_, model.features())),
      intake_(model, engine_->block_rows()) {
  engine_->start(spectrum_of(model, intake_.moments().unit()));
}

template <typename T>
Stream<T>::Stream(const Stream& other)
    : options_(other.options_), engine_(other.engine_->clone()), intake_(other.intake_) {}

template <typename T>
void Stream<T>::absorb(const GivenRows<T>& given, Index from, Index to) {
  given.check(from, to);
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
void Stream<T>::add(simd::RowsView<T> rows, const double* weights) {
  while (rows.count > 0) {
    const Index taken = intake_.take(rows, weights);
    rows.data += taken * rows.stride;
    rows.count -= taken;
    if (weights != nullptr) weights += taken;
    if (rows.count == 0 && !intake_.is_full()) break;
    engine_->absorb(intake_.close());
    intake_.open();
  }
}

template <typename T>
void Stream<T>::set_learning_rate(const LearningRate& rate) {
  options_.learning_rate = rate;
  auto engine = make_engine<T>(options_, intake_.moments().features());
  engine->start(engine_->spectrum());
  engine_ = std::move(engine);
}

template <typename T>
Model<T> Stream<T>::model() const {
  if (!intake_.is_waiting()) {
    return make_model(options_, intake_.rows(), intake_.moments(), engine_->spectrum());
  }
  auto intake = intake_;
  const auto engine = engine_->clone();
  engine->absorb(intake.close());
  return make_model(options_, intake.rows(), intake.moments(), engine->settle());
}

template <typename T>
std::vector<double> Stream<T>::learning_rates() const {
  const double unit = intake_.moments().unit();
  auto rates = engine_->learning_rates();
  for (double& rate : rates) rate *= unit * unit;
  return rates;
}

template class Stream<float>;
template class Stream<double>;

}  // namespace roipca
