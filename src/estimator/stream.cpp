#include "estimator/stream.hpp"

#include <utility>
#include <vector>

#include "options/resolved.hpp"

namespace roipca {

template <typename T>
Stream<T>::Stream(const Options& options, Index features)
    : options_(options), features_(features), sparse_suffices_(has_sparse_engine(options, features)) {
  // Other methods expand rows anyway: constructing the stream now reports errors in the options.
  if (!sparse_suffices_) dense_ = std::make_unique<DenseStream<T>>(options, features);
}

template <typename T>
Stream<T>::Stream(const Model<T>& model)
    : options_(with_choices(model)),
      features_(model.features()),
      dense_(std::make_unique<DenseStream<T>>(model)),
      sparse_suffices_(has_sparse_engine(options_, model.features())) {}

template <typename T>
Stream<T>::Stream(const Stream& other)
    : options_(other.options_),
      features_(other.features_),
      dense_(other.dense_ ? std::make_unique<DenseStream<T>>(*other.dense_) : nullptr),
      sparse_(other.sparse_ ? std::make_unique<SparseStream<T>>(*other.sparse_) : nullptr),
      sparse_suffices_(other.sparse_suffices_) {}

template <typename T>
DenseStream<T>& Stream<T>::dense() {
  if (!dense_) {
    dense_ = sparse_ ? std::make_unique<DenseStream<T>>(expanded(*sparse_))
                     : std::make_unique<DenseStream<T>>(options_, features_);
    sparse_.reset();
  }
  return *dense_;
}

template <typename T>
SparseStream<T>& Stream<T>::sparse() {
  if (!sparse_) {
    sparse_ = dense_ && dense_->rows() > 0 ? std::make_unique<SparseStream<T>>(dense_->model())
                                           : std::make_unique<SparseStream<T>>(options_, features_);
    dense_.reset();
  }
  return *sparse_;
}

// Moves the rows to a dense stream: a model of those in blocks, and then the waiting rows.
template <typename T>
DenseStream<T> Stream<T>::expanded(const SparseStream<T>& from) const {
  const SparseBlock<T>& waiting = from.waiting();
  const bool has_model = from.rows() > waiting.rows.count();
  DenseStream<T> stream =
      has_model ? DenseStream<T>(from.model_without_waiting()) : DenseStream<T>(options_, features_);
  std::vector<T> row(static_cast<std::size_t>(features_));
  for (Index i = 0; i < waiting.rows.count(); ++i) {
    const int* indices = waiting.rows.indices_of(i);
    for (Index e = 0; e < waiting.rows.length_of(i); ++e) {
      row[static_cast<std::size_t>(indices[e])] = waiting.rows.values_of(i)[e];
    }
    stream.add({row.data(), 0, 1}, &waiting.given[static_cast<std::size_t>(i)]);
    for (Index e = 0; e < waiting.rows.length_of(i); ++e) row[static_cast<std::size_t>(indices[e])] = T{0};
  }
  return stream;
}

template <typename T>
void Stream<T>::absorb(const GivenRows<T>& given, Index from, Index to) {
  dense().absorb(given, from, to);
}

template <typename T>
void Stream<T>::absorb(const GivenSparseRows<T>& given, Index from, Index to) {
  for (Index i = from; i < to; ++i) {
    if (given.weight(i) == 0.0) continue;
    if (!sparse_suffices_) {
      expand(given, i);
    } else if (!sparse().absorb(given.rows, i, given.weight(i))) {
      sparse_suffices_ = false;
      dense();
    }
  }
}

template <typename T>
void Stream<T>::expand(const GivenSparseRows<T>& given, Index i) {
  std::vector<T> row(static_cast<std::size_t>(features_));
  for (Index e = given.rows.start(i); e < given.rows.start(i + 1); ++e) {
    row[static_cast<std::size_t>(given.rows.column(e))] += given.rows.value(e);
  }
  const double weight = given.weight(i);
  dense().add({row.data(), 0, 1}, &weight);
}

template <typename T>
void Stream<T>::set_learning_rate(const LearningRate& rate) {
  options_.learning_rate = rate;
  if (dense_) dense_->set_learning_rate(rate);
}

template <typename T>
std::int64_t Stream<T>::rows() const {
  return dense_ ? dense_->rows() : sparse_ ? sparse_->rows() : 0;
}

template <typename T>
Model<T> Stream<T>::model() const {
  if (dense_) return dense_->model();
  auto model = sparse_->model();
  return model ? std::move(*model) : expanded(*sparse_).model();
}

template <typename T>
std::optional<Model<T>> Stream<T>::reported(double tolerance) const {
  return dense_ ? dense_->reported(tolerance) : sparse_->reported();
}

template <typename T>
std::vector<double> Stream<T>::learning_rates() const {
  return dense_ ? dense_->learning_rates() : std::vector<double>();
}

template <typename T>
Index Stream<T>::size() const {
  return dense_ ? dense_->size() : sparse_ ? sparse_->size() : 0;
}

template <typename T>
void Stream<T>::visit_state(state::Archive& archive) {
  bool is_dense = dense_ != nullptr;
  bool is_sparse = sparse_ != nullptr;
  archive(sparse_suffices_, is_dense, is_sparse);
  if (is_dense) archive(dense());
  if (is_sparse) archive(sparse());
}

template class Stream<float>;
template class Stream<double>;

}  // namespace roipca
