#include "engine/dense_stream.hpp"

#include <algorithm>
#include <utility>

#include "engine/make_engine.hpp"
#include "engine/make_model.hpp"
#include "options/resolved.hpp"

namespace roipca {

template <typename T>
DenseStream<T>::DenseStream(const Options& options, Index features)
    : options_(options),
      engine_(make_engine<T>(options, features)),
      intake_(options, features, engine_->block_rows()),
      scores_(scored_components(options, features)) {}

template <typename T>
DenseStream<T>::DenseStream(const Model<T>& model)
    : options_(with_choices(model)),
      engine_(make_engine<T>(options_, model.features())),
      intake_(model, engine_->block_rows()),
      scores_(model.prequential, scored_components(options_, model.features())) {
  engine_->start(spectrum_of(model, intake_.moments().unit()));
}

template <typename T>
DenseStream<T>::DenseStream(const DenseStream& other)
    : options_(other.options_),
      engine_(other.engine_->clone()),
      intake_(other.intake_),
      scores_(other.scores_) {}

template <typename T>
void DenseStream<T>::absorb(const GivenRows<T>& given, Index from, Index to) {
  given.check(from, to);
  if (given.units != nullptr) return absorb_in_units(given, from, to);
  absorb_checked(given, from, to);
}

template <typename T>
void DenseStream<T>::absorb_in_units(const GivenRows<T>& given, Index from, Index to) {
  constexpr Index kAtOnce = 32;
  in_units_.resize(kAtOnce, given.rows.cols());
  for (Index i = from; i < to; i += kAtOnce) {
    const Index count = std::min(kAtOnce, to - i);
    for (Index j = 0; j < count; ++j) {
      to_units(*given.units, given.view(i + j, i + j + 1).data, i + j, given.weight(i + j),
               in_units_.row(j).data());
    }
    const Rows<T> rows(in_units_.data(), count, in_units_.cols());
    const Weights weights = given.weights.empty() ? given.weights : given.weights.slice(i, count);
    absorb_checked({rows, weights, true}, 0, count);
  }
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
    const Index taken = intake_.take(rows, weights);
    rows.data += taken * rows.stride;
    rows.count -= taken;
    if (weights != nullptr) weights += taken;
    if (rows.count == 0 && !intake_.is_full()) break;
    RowBlock<T>& block = intake_.close();
    engine_->absorb(block);
    scores_.add(block.scores, block.count, block.pairs_share, block.unit);
    intake_.open();
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
Model<T> DenseStream<T>::model() const {
  if (!intake_.is_waiting()) {
    return make_model(options_, intake_.rows(), intake_.moments(), engine_->spectrum(), scores_);
  }
  auto intake = intake_;
  const auto engine = engine_->clone();
  auto scores = scores_;
  RowBlock<T>& block = intake.close();
  engine->absorb(block);
  scores.add(block.scores, block.count, block.pairs_share, block.unit);
  return make_model(options_, intake.rows(), intake.moments(), engine->settle(), scores);
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
