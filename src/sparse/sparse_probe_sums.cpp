#include "sparse/sparse_probe_sums.hpp"

#include "linalg/products.hpp"
#include "model/probe_directions.hpp"
#include "simd/table.hpp"

namespace roipca {
namespace {

using ByFeature = Eigen::Map<RowMatrix<double>>;

// Returns the directions by which dense rows of T are multiplied.
template <typename T>
std::shared_ptr<const simd::AlignedBuffer<double>> by_features(Index features, Index probes, Index columns) {
  auto buffer = std::make_shared<simd::AlignedBuffer<double>>(features * columns);
  ByFeature(buffer->data(), features, columns).leftCols(probes) =
      probe_directions<T>(features, probes).template cast<double>();
  return buffer;
}

Index round_up(Index x, Index to) { return (x + to - 1) / to * to; }

}  // namespace

template <typename T>
SparseProbeSums<T>::SparseProbeSums(Index features, Index probes, bool center)
    : features_(features),
      probes_(probes),
      columns_(round_up(probes, simd::kSparseLane<double>)),
      has_centre_(!center),
      directions_(by_features<T>(features, probes, columns_)),
      sums_(features * columns_),
      pull_(Vector<double>::Zero(columns_)),
      centre_(Vector<double>::Zero(columns_)),
      scores_(columns_) {}

template <typename T>
SparseProbeSums<T>::SparseProbeSums(const Model<T>& model, double unit)
    : SparseProbeSums(model.features(), static_cast<Index>(model.probe_products.size()) / model.features(),
                      model.options.center) {
  if (probes_ == 0) return;
  const Eigen::Map<const Matrix<double>> products(model.probe_products.data(), features_, probes_);
  ByFeature(sums_.data(), features_, columns_).leftCols(probes_) = products * unit * unit;
  // About the mean of these rows, the sum of their scores is 0.
  const Eigen::Map<const RowMatrix<double>> directions(directions_->data(), features_, columns_);
  centre_ = linalg::apply(directions.transpose(), unit * (as_eigen(model.mean) + as_eigen(model.mean_tail)));
  has_centre_ = true;
}

// Computes Omega^T x.
template <typename T>
void SparseProbeSums<T>::score(const SparseBlock<T>& block, Index i) {
  const Index count = block.rows.length_of(i);
  values_.assign(block.rows.values_of(i), block.rows.values_of(i) + count);
  simd::table<double>().sparse_dots(values_.data(), block.rows.indices_of(i), count, directions_->data(),
                                    columns_, columns_, scores_.data());
}

template <typename T>
void SparseProbeSums<T>::find_centre(const SparseBlock<T>& block) {
  for (Index i = 0; i < block.rows.count(); ++i) {
    score(block, i);
    const double share = block.weights[static_cast<std::size_t>(i)] / block.weight;
    centre_ += share * Eigen::Map<const Vector<double>>(scores_.data(), columns_);
  }
  has_centre_ = true;
}

template <typename T>
void SparseProbeSums<T>::forget(double factor) {
  constexpr double kSmallest = 0x1p-300;
  scale_ *= factor;
  if (scale_ > kSmallest) return;
  Eigen::Map<Vector<double>>(sums_.data(), sums_.size()) *= scale_;
  pull_ *= scale_;
  scale_ = 1.0;
}

template <typename T>
void SparseProbeSums<T>::add(const SparseBlock<T>& block, double decay) {
  if (probes_ == 0) return;
  if (block.rescale != 1.0) forget(block.rescale);
  if (!has_centre_) find_centre(block);
  for (Index i = 0; i < block.rows.count(); ++i) {
    score(block, i);
    Eigen::Map<Vector<double>> scores(scores_.data(), columns_);
    scores = (scores - centre_) * (block.weights[static_cast<std::size_t>(i)] / scale_);
    pull_ += scores;
    simd::table<double>().sparse_add(values_.data(), block.rows.indices_of(i), block.rows.length_of(i),
                                     scores_.data(), sums_.data(), columns_, columns_);
  }
  if (decay != 1.0) forget(decay);
}

template <typename T>
void SparseProbeSums<T>::write(Model<T>& model, double unit) const {
  const Eigen::Map<const RowMatrix<double>> sums(sums_.data(), features_, columns_);
  const Vector<double> mean = unit * (as_eigen(model.mean) + as_eigen(model.mean_tail));
  const Matrix<double> products = scale_ * (sums.leftCols(probes_) - mean * pull_.head(probes_).transpose());
  model.probe_products = to_vector(Vector<double>(products.reshaped() / unit / unit));
}

template <typename T>
void SparseProbeSums<T>::visit_state(state::Archive& archive) {
  archive(Eigen::Map<Vector<double>>(sums_.data(), sums_.size()), pull_, scale_, centre_, has_centre_);
}

template class SparseProbeSums<float>;
template class SparseProbeSums<double>;

}  // namespace roipca
