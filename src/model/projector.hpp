/// Projects rows onto the components of a model and back, by the loops of simd.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "intake/row_filler.hpp"
#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "simd/aligned_rows.hpp"
#include "simd/table.hpp"

namespace roipca {

/// Returns the sum of the squares of a residual at the present values of a row, times features / (number of
/// present values), which makes it comparable with that of a row without gaps. 0 if the row has no value.
template <typename T>
double squares_of_observed(const Eigen::Ref<const Vector<T>>& residual, const Row<T>& row) {
  double sum = 0.0;
  Index there = 0;
  for (Index j = 0; j < row.size(); ++j) {
    if (std::isnan(row[j])) continue;
    sum += static_cast<double>(residual[j]) * static_cast<double>(residual[j]);
    ++there;
  }
  return there > 0 ? sum * static_cast<double>(row.size()) / static_cast<double>(there) : 0.0;
}

/// Takes rows in chunks that stay in the cache, centres them, and computes their scores on the first
/// components of a model, with the signs of the model's basis. The results of a row do not depend on the
/// other rows. If the model imputes, missing values are replaced by their expectations.
///
/// Copies the components once, in O(features x components) time and memory. Refers to the model, which must
/// outlive it.
template <typename T>
class Projector {
 public:
  /// `rows` is the number of rows to come.
  Projector(const Model<T>& model, Index components, Index rows)
      : model_(model),
        components_(components),
        at_once_(std::min(rows, std::clamp(kNumbers / model.features(), kFewest, kMost))),
        basis_(components, model.features()),
        centred_(at_once_, model.features()),
        scores_(at_once_, components),
        coefficients_(components, at_once_),
        panel_(simd::panel_size<T>(components)),
        inverse_scale_(model.scale) {
    for (double& number : inverse_scale_) number = 1.0 / number;
    basis_.columns(components) = as_columns(model.basis).leftCols(components);
  }

  /// Calls use(first, count) for each chunk, when `scores` and `centred` hold its rows.
  template <typename Use>
  void for_each_chunk(const Rows<T>& rows, Use use) {
    const Index features = model_.features();
    const Vector<double> ones = Vector<double>::Ones(at_once_);
    Vector<double> squares(at_once_);
    Vector<double> total = Vector<double>::Zero(features);
    for (Index first = 0; first < rows.rows(); first += at_once_) {
      const Index count = std::min(at_once_, rows.rows() - first);
      loops_.collect({rows.data() + first * rows.stride(), rows.stride(), count},
                     {model_.mean.data(), model_.mean_tail.data(), ones.data(), ones.data(), total.data(),
                      centred_.row(0), centred_.stride(), squares.data()},
                     features);
      scale(count, inverse_scale_);
      if (model_.options.missing == Missing::kImpute) fill(count);
      loops_.dots(centred_.view(count), basis_.view(components_), centred_.padded_length(), scores_.data(),
                  components_);
      use(first, count);
    }
  }

  /// Calls use(first, count) for each chunk, when `centred` holds the points in the plane of the components
  /// that have these scores, still without the mean.
  template <typename Use>
  void for_each_chunk_of_scores(const RowMatrix<T>& scores, Use use) {
    for (Index first = 0; first < scores.rows(); first += at_once_) {
      const Index count = std::min(at_once_, scores.rows() - first);
      centred_.columns(count).setZero();
      coefficients_.leftCols(count) = scores.middleRows(first, count).transpose();
      add_components(count);
      use(first, count);
    }
  }

  /// Scores of the chunk, count x components.
  auto scores(Index count) const { return scores_.topRows(count); }
  /// Rows of the chunk as columns, features x count.
  auto centred(Index count) { return centred_.columns(count); }
  /// Converts the rows of the chunk back to the units of the given rows.
  void unscale(Index count) { scale(count, model_.scale); }
  /// Replaces each row of the chunk by a combination of the components, one row of coefficients per row.
  void replace_by_combination(const RowMatrix<T>& coefficients) {
    centred_.columns(coefficients.rows()).setZero();
    coefficients_.leftCols(coefficients.rows()) = coefficients.transpose();
    add_components(coefficients.rows());
  }
  /// Subtracts from each row of the chunk its part within the components.
  void subtract_components(Index count) {
    coefficients_.leftCols(count) = -scores(count).transpose().template cast<T>();
    add_components(count);
  }

 private:
  static constexpr Index kNumbers =
      Index{1} << 17;                   // numbers of a chunk: half of a usual second-level cache in double
  static constexpr Index kFewest = 12;  // the fewest rows that use the tiles of the loops
  static constexpr Index kMost = 96;

  // Replaces missing values by their expectations.
  void fill(Index count) {
    for (Index i = 0; i < count; ++i) {
      if (!centred_.columns(count).col(i).hasNaN()) continue;
      if (!fill_model_) fill_model_ = fill_model(model_);
      filler_.fill(*fill_model_, centred_.row(i));
    }
  }

  void scale(Index count, const std::vector<double>& factors) {
    if (factors.empty()) return;
    auto rows = centred_.columns(count);
    for (Index i = 0; i < count; ++i) {
      rows.col(i) = rows.col(i).template cast<double>().cwiseProduct(as_eigen(factors)).template cast<T>();
    }
  }

  void add_components(Index count) {
    loops_.add_rows(centred_.row(0), centred_.stride(), 0, basis_.view(components_), coefficients_.data(),
                    coefficients_.outerStride(), count, centred_.padded_length(), panel_.data());
  }

  const Model<T>& model_;
  Index components_;
  Index at_once_;  // number of rows of a chunk
  simd::AlignedRows<T> basis_;
  simd::AlignedRows<T> centred_;
  RowMatrix<double> scores_;
  RowMatrix<T> coefficients_;  // components x rows of a chunk
  simd::AlignedBuffer<T> panel_;
  std::vector<double> inverse_scale_;
  std::optional<FillModel> fill_model_;
  RowFiller filler_;
  const simd::Table<T>& loops_ = simd::table<T>();
};

}  // namespace roipca
