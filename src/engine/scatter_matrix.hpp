/// The scatter matrix itself.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/engine.hpp"
#include "linalg/leading_eigen.hpp"
#include "linalg/products.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "monitor/exact_scoring.hpp"

namespace roipca {

/// Accumulates the d x d scatter in double: exact to rounding, O(d^2) time per row and O(d^2) memory. For
/// small d.
template <typename T>
class ScatterMatrix final : public Engine<T> {
 public:
  ScatterMatrix(Index features, Index reported, Index block_rows)
      : block_rows_(block_rows),
        reported_(reported),
        scatter_(features, features),
        rows_(std::is_same_v<T, double> ? 0 : block_rows + 1, features),
        mean_(features),
        panels_(simd::outer_size<double>(block_rows + 1, scatter_.padded_length())),
        scoring_(features, reported, block_rows + 1) {}

  std::unique_ptr<Engine<T>> clone() const override { return std::make_unique<ScatterMatrix>(*this); }
  Index block_rows() const override { return block_rows_; }

  /// The rest of the trace is spread evenly over the directions outside the eigenpairs.
  void start(const Spectrum<T>& spectrum) override {
    const Index features = scatter_.length();
    const Index outside = features - spectrum.basis.cols();
    const double missing = spectrum.trace - spectrum.values.sum();
    // The trace and the eigenvalues are rounded separately.
    const double rounding = (static_cast<double>(features) + 16.0) * std::numeric_limits<double>::epsilon();
    const bool is_there = outside > 0 && missing > rounding * spectrum.trace;
    const double rest = is_there ? missing / static_cast<double>(outside) : 0.0;
    const Matrix<double> basis = spectrum.basis.template cast<double>();
    const Vector<double> above = spectrum.values.array() - rest;
    const Matrix<double> weighted = basis * above.asDiagonal();
    auto scatter = scatter_.columns(features);
    linalg::multiply(weighted, basis.transpose(), scatter);
    scatter.diagonal().array() += rest;
    scoring_ = ExactScoring<T>(features, reported_, block_rows_ + 1);
  }

  Spectrum<T> settle() override { return spectrum(); }
  Spectrum<T> spectrum() const override {
    const Index features = scatter_.length();
    linalg::SymmetricEigen eigen(features);
    eigen.matrix(features) = scatter_.columns(features);
    const Index rank = eigen.solve_positive(features, reported_, rounding());
    return {eigen.vectors(rank).template cast<T>(), eigen.values().head(rank),
            scatter_.columns(features).diagonal().sum()};
  }

  /// Up to 64 features, all pairs take no longer. At full accuracy, a few leading pairs of 256
  /// features take less than half of the time of all pairs, and 10 of 1,000 an eighth; a tenth of the pairs
  /// of up to 400 features takes as long as all.
  bool has_reported_spectrum(double tolerance) const override {
    const Index features = scatter_.length();
    if (tolerance > kRounding) return features > 64;
    return features > 1024 || (features >= 256 && reported_ <= features / 16);
  }
  /// By block Lanczos iteration.
  std::optional<Spectrum<T>> reported_spectrum(double tolerance) const override {
    linalg::LeadingEigen eigen(scatter_, reported_);
    if (!eigen.solve(std::max(tolerance, kRounding))) return std::nullopt;
    return Spectrum<T>{eigen.vectors().columns(reported_).template cast<T>(), eigen.values(),
                       scatter_.columns(scatter_.length()).diagonal().sum()};
  }

  void spread(const Vector<double>& diagonal) override {
    scatter_.columns(scatter_.length()).diagonal() += diagonal;
  }

  void merge(const Engine<T>& other, const typename Moments<T>::Joint& joint) override {
    const auto& from = dynamic_cast<const ScatterMatrix&>(other);
    const Index features = scatter_.length();
    auto scatter = scatter_.columns(features);
    scatter = joint.rescale * scatter + joint.other_factor * from.scatter_.columns(features);
    for (Index j = 0; j < features; ++j) {
      scatter.col(j).tail(features - j) += joint.step[j] * joint.step.tail(features - j);
    }
    steps_ += from.steps_ + 1;
    scoring_ = ExactScoring<T>(features, reported_, block_rows_ + 1);
  }

  Index size() const override { return scatter_.length() * scatter_.length(); }

  void visit_state(state::Archive& archive) override {
    archive(scatter_.columns(scatter_.length()), steps_, scoring_);
  }

 protected:
  void add(RowBlock<T>& block) override {
    simd::AlignedRows<double>& rows = as_doubles(block);
    score_if_wanted(block.scores, [&] {
      if (scoring_.is_due(block)) scoring_.refresh(spectrum_for_scores(), block);
      scoring_.score(rows, block);
    });
    if (block.pull != 0.0) {
      mean_ = (block.pull * block.unit) * block.total;  // pull V^T u
      auto of_block = rows.columns(block.count);
      for (Index i = 0; i < block.count; ++i) of_block.col(i) -= block.roots[i] * mean_;
    }
    simd::table<double>().add_outer(scatter_.row(0), scatter_.stride(), rows.view(block.count),
                                    scatter_.length(), scatter_.padded_length(), panels_.data());
    steps_ += (block.count + kRowsInStep - 1) / kRowsInStep;
  }

  void rescale(double factor) override { scatter_.columns(scatter_.length()) *= factor; }

 private:
  Spectrum<T> spectrum_for_scores() const {
    auto leading = has_reported_spectrum(kForScores) ? reported_spectrum(kForScores) : std::nullopt;
    return leading ? *std::move(leading) : spectrum();
  }

  // Returns the rows V as doubles.
  simd::AlignedRows<double>& as_doubles(RowBlock<T>& block) {
    if constexpr (std::is_same_v<T, double>) {
      return block.rows;
    } else {
      rows_.columns(block.count) = block.rows.columns(block.count).template cast<double>();
      return rows_;
    }
  }

  // Residuals that are rounding, relative to the largest eigenvalue.
  static constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();

  // Number of rows whose products are summed with the rounding of one addition to the scatter.
  static constexpr Index kRowsInStep = 32;

  // Rounding of an entry of the scatter, relative to the diagonal entries of its row and column: a random
  // walk of one step per kRowsInStep rows, and some for eliminating the large entries.
  double rounding() const {
    return (3.0 * std::sqrt(static_cast<double>(steps_)) + 16.0) * std::numeric_limits<double>::epsilon();
  }

  Index block_rows_;
  Index reported_;
  simd::AlignedRows<double> scatter_;  // its lower triangle, column by column; the upper one is not used
  simd::AlignedRows<double> rows_;     // of a block of single precision
  Vector<double> mean_;
  Vector<double> panels_;
  std::int64_t steps_ = 0;
  ExactScoring<T> scoring_;
};

}  // namespace roipca
