/// Adds many sparse rows at once.
#pragma once

#include <optional>

#include "monitor/block_scores.hpp"
#include "sparse/row_space.hpp"
#include "sparse/sparse_basis.hpp"
#include "sparse/sparse_moments.hpp"

namespace roipca {

/// The eigenpairs of a scatter before many rows are added: those of a gathered basis.
struct SettledValues {
  Index capacity;
  Eigen::Ref<const Eigen::VectorXd> values;
  double trace;
  double mu;
};

/// The new eigenpairs with many rows, before they replace the old ones.
template <typename T>
struct ManyRows {
  CsrRows<T> by_feature;
  typename RowSpace<T>::Combination combination;
  Eigen::VectorXd values;
  double trace;
  bool is_orthonormal;  // to the precision that a model promises, if the components before are

  typename SparseBasis<T>::Rebuilding rebuilding() const {
    return {combination.turn, by_feature, combination.of_rows.data(), combination.stride,
            combination.of_mean};
  }
};

/// Finds the eigenpairs of the scatter, times block.rescale, with the rows of a block, before `moments` close
/// it. Scores some of the rows first if that is wanted. Returns nothing if products of rows that are not
/// centred are not accurate enough: if the remainder of a row after centring is rounding or little more, or
/// if eigenvalues are too small relative to the first.
template <typename T>
std::optional<ManyRows<T>> solve_many(const SparseBlock<T>& block, const SparseMoments<T>& moments,
                                      const SparseBasis<T>& basis, const SettledValues& settled,
                                      BlockScores& scores);

extern template std::optional<ManyRows<float>> solve_many(const SparseBlock<float>&,
                                                          const SparseMoments<float>&,
                                                          const SparseBasis<float>&, const SettledValues&,
                                                          BlockScores&);
extern template std::optional<ManyRows<double>> solve_many(const SparseBlock<double>&,
                                                           const SparseMoments<double>&,
                                                           const SparseBasis<double>&, const SettledValues&,
                                                           BlockScores&);

}  // namespace roipca
