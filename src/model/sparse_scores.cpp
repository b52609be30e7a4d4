#include "model/sparse_scores.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "intake/given_sparse_rows.hpp"

namespace roipca {
namespace {

// Number of rows for which a component stays in the cache.
constexpr Index kRowsAtOnce = 256;

template <typename T, typename Number>
double dot(const SparseRows<T>& x, Index row, const Number* dense) {
  double sum = 0.0;
  for (Index e = x.start(row); e < x.start(row + 1); ++e) {
    sum += static_cast<double>(x.value(e)) * static_cast<double>(dense[x.column(e)]);
  }
  return sum;
}

}  // namespace

template <typename T>
RowMatrix<double> sparse_scores(const Model<T>& model, Index columns, const SparseRows<T>& x) {
  check_columns(x, model.features());
  const Vector<double> mean = as_eigen(model.mean) + as_eigen(model.mean_tail);
  RowMatrix<double> scores(x.rows(), columns);
  for (Index first = 0; first < x.rows(); first += kRowsAtOnce) {
    const Index end = std::min(first + kRowsAtOnce, x.rows());
    for (Index c = 0; c < columns; ++c) {
      const T* component = model.basis.row(c).data();
      for (Index i = first; i < end; ++i) scores(i, c) = dot(x, i, component);
    }
  }
  for (Index c = 0; c < columns; ++c) {
    const auto component = as_eigen(model.basis.row(c));
    scores.col(c).array() -= component.template cast<double>().dot(mean);
  }
  return scores;
}

template <typename T>
std::vector<double> sparse_squared_lengths(const Model<T>& model, const SparseRows<T>& x) {
  const double mean_squared = as_eigen(model.mean).squaredNorm();
  std::vector<double> lengths(static_cast<std::size_t>(x.rows()));
  std::vector<double> dense(static_cast<std::size_t>(x.cols()), 0.0);
  for (Index i = 0; i < x.rows(); ++i) {
    // Entries of one column add up before they are squared.
    for (Index e = x.start(i); e < x.start(i + 1); ++e) {
      dense[static_cast<std::size_t>(x.column(e))] += static_cast<double>(x.value(e));
    }
    double sum = mean_squared;
    for (Index e = x.start(i); e < x.start(i + 1); ++e) {
      const auto j = static_cast<std::size_t>(x.column(e));
      sum += dense[j] * (dense[j] - 2.0 * model.mean[j]);
      dense[j] = 0.0;
    }
    lengths[static_cast<std::size_t>(i)] = sum;
  }
  return lengths;
}

template RowMatrix<double> sparse_scores(const Model<float>&, Index, const SparseRows<float>&);
template RowMatrix<double> sparse_scores(const Model<double>&, Index, const SparseRows<double>&);
template std::vector<double> sparse_squared_lengths(const Model<float>&, const SparseRows<float>&);
template std::vector<double> sparse_squared_lengths(const Model<double>&, const SparseRows<double>&);

}  // namespace roipca
