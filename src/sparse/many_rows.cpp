#include "sparse/many_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "simd/table.hpp"
#include "sparse/block_lanczos.hpp"

namespace roipca {
namespace {

// Fraction of the largest eigenvalue below which another one has lost more than half of its digits. Products
// with components have the rounding of T.
template <typename T>
double least_clear_value(bool has_components) {
  return std::is_same_v<T, float> && has_components ? 0x1p-14 : 0x1p-26;
}

// Fraction below which an eigenvalue is only rounding.
template <typename T>
double rounding_of_values(bool has_components, Index order) {
  if (std::is_same_v<T, float> && has_components) return 64.0 * double{std::numeric_limits<T>::epsilon()};
  return 64.0 * static_cast<double>(order) * std::numeric_limits<double>::epsilon();
}

// Ratio of the largest to the smallest eigenvalue below which new components are orthonormal to the precision
// that a model promises: their rounding is multiplied by the ratio.
constexpr double kNarrow = 64.0;
// The same for components that were orthonormalised: their rounding is multiplied by the root of the ratio.
constexpr double kWide = 4096.0;

// Number of rows that are scored per block: their moments suffice.
constexpr Index kMostScored = 512;

template <typename T>
KnownRows<T> known_rows(const CsrRows<T>& rows, const CsrRows<T>& by_feature,
                        const simd::AlignedRows<double>& in_basis, const SparseMoments<T>& moments,
                        const SparseBasis<T>& basis) {
  KnownRows<T> known{rows,
                     by_feature,
                     in_basis,
                     Eigen::VectorXd(rows.count()),
                     Eigen::VectorXd::Zero(rows.count()),
                     basis.mean_products(),
                     basis.mean_squared()};
  for (Index i = 0; i < rows.count(); ++i) {
    const Eigen::Map<const Vector<T>> values(rows.values_of(i), rows.length_of(i));
    known.squares[i] = values.template cast<double>().squaredNorm();
    if (!moments.center()) continue;
    known.with_mean[i] =
        moments.mean_factor() *
        simd::table<T>().sparse_dot(rows.values_of(i), rows.indices_of(i), rows.length_of(i), moments.sums());
  }
  return known;
}

template <typename T>
void score_some(const SparseBlock<T>& block, const SparseMoments<T>& moments, const KnownRows<T>& known,
                const SettledValues& settled, BlockScores& scores) {
  const double freedom = moments.freedom();
  const Index rank = settled.values.size();
  if (!(freedom > 0.0) || rank == 0) return;
  const Index rows = known.rows.count();
  const Index count = std::min(rows, kMostScored);
  RowMatrix<double> dots(count, rank);
  Eigen::VectorXd squares(count);
  Eigen::VectorXd roots(count);
  for (Index s = 0; s < count; ++s) {
    const Index i = s * rows / count;
    const double root = std::sqrt(block.weights[static_cast<std::size_t>(i)]);
    roots[s] = root;
    const double square = (known.squares[i] - known.with_mean[i]) - (known.with_mean[i] - known.mean_squared);
    squares[s] = root * root * std::max(square, 0.0);
    for (Index c = 0; c < rank; ++c) {
      dots(s, c) = root * (known.in_basis.row(c)[i] - (moments.center() ? known.mean_in_basis[c] : 0.0));
    }
  }
  BlockScorer(settled.capacity, count)
      .score(count, dots, squares.data(), roots.data(), settled.values / freedom,
             kScoreNoise<T> * settled.trace / freedom, scores);
}

}  // namespace

template <typename T>
std::optional<ManyRows<T>> solve_many(const SparseBlock<T>& block, const SparseMoments<T>& moments,
                                      const SparseBasis<T>& basis, const SettledValues& settled,
                                      BlockScores& scores) {
  const Index rank = settled.values.size();
  const simd::AlignedRows<double> in_basis = basis.products_with(block.rows);
  CsrRows<T> by_feature = block.rows.transposed(moments.features());
  const KnownRows<T> known = known_rows(block.rows, by_feature, in_basis, moments, basis);
  score_if_wanted(scores, [&] { score_some(block, moments, known, settled, scores); });

  const Eigen::Map<const Eigen::VectorXd> weights(block.weights.data(), block.rows.count());
  RowSpace<T> space(known, {weights, block.weight, moments.weight() * block.rescale, moments.center()},
                    block.rescale * (settled.values.array() - settled.mu));
  if (!space.is_clear()) return std::nullopt;
  BlockLanczos lanczos(space.order(), settled.capacity);
  const auto products = [&](const simd::AlignedRows<double>& vectors, simd::AlignedRows<double>& to,
                            Index count) { space.multiply(vectors, to, count); };
  if (rank > 0) lanczos.start(space.estimates(), rank, products);
  lanczos.solve(products);

  Index count = lanczos.count();
  const auto values = lanczos.values();
  while (count > 0 && !(values[count - 1] > rounding_of_values<T>(rank > 0, space.order()) * values[0]))
    --count;
  if (count > 0 && !(values[count - 1] > least_clear_value<T>(rank > 0) * values[0])) return std::nullopt;
  // Components with nothing left above mu are not found.
  if (count < rank || (count < lanczos.count() && settled.mu > 0.0)) return std::nullopt;
  const double ratio = count > 0 ? values[0] / values[count - 1] : 1.0;
  bool is_orthonormal = ratio < kNarrow;
  if (!is_orthonormal && rank == 0 && ratio < kWide) {
    is_orthonormal = space.orthonormalise(lanczos.vectors(), values, count);
  }
  auto combination = space.combined(lanczos.vectors(), values, count);
  return ManyRows<T>{std::move(by_feature), std::move(combination),
                     values.head(count).array() + settled.mu * block.rescale,
                     settled.trace * block.rescale + space.added(), is_orthonormal};
}

template std::optional<ManyRows<float>> solve_many(const SparseBlock<float>&, const SparseMoments<float>&,
                                                   const SparseBasis<float>&, const SettledValues&,
                                                   BlockScores&);
template std::optional<ManyRows<double>> solve_many(const SparseBlock<double>&, const SparseMoments<double>&,
                                                    const SparseBasis<double>&, const SettledValues&,
                                                    BlockScores&);

}  // namespace roipca
