#include "engine/rounded_copies.hpp"

namespace roipca {

RoundedCopies::RoundedCopies(Index components, Index rows, Index features)
    : rows_(features > 0 ? rows : 0, features),
      components_(features > 0 ? components : 0, features),
      squares_(rows),
      unused_(components),
      coefficients_(rows, components),
      panel_(simd::panel_size<float>(rows)) {}

void RoundedCopies::take_rows(const RowBlock<double>& block) {
  simd::active_tables().rounding.round_rows(block.rows.view(block.count), block.rows.padded_length(),
                                            rows_.row(0), rows_.stride(), squares_.data());
}

// V^T u is the sum of the rows with their weights, which the block has.
double RoundedCopies::square_of_all(const RowBlock<double>& block) const {
  const double of_rows = squares_.head(block.count).sum();
  if (block.pull == 0.0) return of_rows;
  const double pulled = block.pull * (2.0 - block.pull * block.roots.head(block.count).squaredNorm());
  return of_rows - pulled * (block.unit * block.total).squaredNorm();
}

void RoundedCopies::take_components(const simd::AlignedRows<double>& components, Index count) {
  if (has_components_) return;
  simd::active_tables().rounding.round_rows(components.view(count), components.padded_length(),
                                            components_.row(0), components_.stride(), unused_.data());
  has_components_ = true;
}

void RoundedCopies::add_rows(const RowMatrix<double>& coefficients, Index rows,
                             simd::AlignedRows<double>& components, Index count) {
  coefficients_.topLeftCorner(rows, count) = coefficients.topLeftCorner(rows, count).cast<float>();
  simd::active_tables().rounding.add_rounded(
      components.row(0), components.stride(), components_.row(0), components_.stride(), rows_.view(rows),
      coefficients_.data(), coefficients_.cols(), count, components.padded_length(), panel_.data());
}

}  // namespace roipca
