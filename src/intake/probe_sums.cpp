#include "intake/probe_sums.hpp"

#include "linalg/products.hpp"
#include "model/probe_directions.hpp"
#include "simd/table.hpp"

namespace roipca {
namespace {

template <typename T>
std::shared_ptr<const simd::AlignedRows<T>> aligned_directions(Index features, Index probes) {
  auto rows = std::make_shared<simd::AlignedRows<T>>(probes, features);
  rows->columns(probes) = probe_directions<T>(features, probes);
  return rows;
}

}  // namespace

template <typename T>
ProbeSums<T>::ProbeSums(Index features, Index probes, Index block_rows)
    : directions_(aligned_directions<T>(features, probes)),
      recent_(probes, features),
      total_(Matrix<double>::Zero(features, probes)),
      scores_(block_rows + 1, probes),
      along_(probes),
      coefficients_(block_rows + 1, probes),
      panel_(simd::panel_size<T>(block_rows + 1)) {}

template <typename T>
ProbeSums<T>::ProbeSums(const Model<T>& model, Index block_rows, double unit)
    : ProbeSums(model.features(), static_cast<Index>(model.probe_products.size()) / model.features(),
                block_rows) {
  total_.reshaped() = as_eigen(model.probe_products) * unit * unit;
}

template <typename T>
void ProbeSums<T>::rescale(double factor) {
  total_ *= factor;
  auto recent = recent_.columns(total_.cols());
  recent = (recent.template cast<double>() * factor).template cast<T>();
}

template <typename T>
void ProbeSums<T>::add(const RowBlock<T>& block) {
  const Index probes = total_.cols();
  if (probes == 0) return;
  if (block.rescale != 1.0) rescale(block.rescale);
  const auto& loops = simd::table<T>();
  const simd::RowsView<T> rows = block.rows.view(block.count);
  loops.dots(rows, directions_->view(probes), block.rows.padded_length(), scores_.data(), probes);
  auto scores = scores_.topRows(block.count);
  if (block.pull != 0.0) {
    // X = (I - pull u u^T) V, once in X Omega and once in X^T.
    const auto roots = block.roots.head(block.count);
    const double twice = block.pull * (2.0 - block.pull * roots.squaredNorm());
    along_.setZero();
    linalg::add_applied(twice, scores.transpose(), roots, along_);
    for (Index i = 0; i < block.count; ++i) scores.row(i) -= roots[i] * along_.transpose();
  }
  coefficients_.topRows(block.count) = scores.template cast<T>();
  loops.add_rows(recent_.row(0), recent_.stride(), 0, rows, coefficients_.data(), probes, probes,
                 recent_.padded_length(), panel_.data());
  if (++blocks_ == kRecentBlocks) {
    total_ += recent_.columns(probes).template cast<double>();
    recent_.columns(probes).setZero();
    blocks_ = 0;
  }
  if (block.decay != 1.0) rescale(block.decay);
}

template <typename T>
void ProbeSums<T>::write(Model<T>& model, double unit) const {
  const Matrix<double> sum = total_ + recent_.columns(total_.cols()).template cast<double>();
  model.probe_products = to_vector(Vector<double>(sum.reshaped() / unit / unit));
}

template <typename T>
void ProbeSums<T>::visit_state(state::Archive& archive) {
  archive(recent_.columns(total_.cols()), blocks_, total_);
}

template class ProbeSums<float>;
template class ProbeSums<double>;

}  // namespace roipca
