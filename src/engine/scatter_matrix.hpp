/// The scatter matrix itself.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <memory>

#include "engine/block_rule.hpp"

namespace roipca {

/// Accumulates the d x d scatter in double: exact to rounding, O(d^2) a row and of memory. For small d.
template <typename T>
class ScatterMatrix final : public BlockRule<T> {
 public:
  ScatterMatrix(Index features, Index block_rows)
      : scatter_(features, features),
        rows_(block_rows + 1, features),
        mean_(features),
        panel_(kernels::panel_size<double>(block_rows + 1)) {}

  std::unique_ptr<BlockRule<T>> clone() const override { return std::make_unique<ScatterMatrix>(*this); }

  void absorb(const RowBlock<T>& block) override {
    const Index features = scatter_.length();
    auto to = rows_.columns(block.count);
    const auto from = block.rows.columns(block.count);
    to = from.template cast<double>();
    if (block.pull != 0.0) {
      mean_.noalias() = to * (block.pull * block.roots.head(block.count));
      for (Index i = 0; i < block.count; ++i) to.col(i) -= block.roots[i] * mean_;
    }
    kernels::table<double>().add_outer(scatter_.row(0), scatter_.stride(), rows_.view(block.count), features,
                                       scatter_.padded_length(), panel_.data());
  }

  void rescale(double factor) override { scatter_.columns(scatter_.length()) *= factor; }

  /// What the eigenpairs leave of the trace is spread evenly over the directions that they leave out.
  void start(const Spectrum<T>& spectrum) override {
    const Index features = scatter_.length();
    const Index outside = features - spectrum.basis.cols();
    const double missing = spectrum.trace - spectrum.values.sum();
    const double rest = outside > 0 && missing > 0.0 ? missing / static_cast<double>(outside) : 0.0;
    const Matrix<double> basis = spectrum.basis.template cast<double>();
    auto scatter = scatter_.columns(features);
    scatter = basis * (spectrum.values.array() - rest).matrix().asDiagonal() * basis.transpose();
    scatter.diagonal().array() += rest;
  }

  Spectrum<T> spectrum() const override {
    const auto scatter = scatter_.columns(scatter_.length());
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(scatter);
    Spectrum<T> spectrum;
    spectrum.values = eigen.eigenvalues().reverse();
    // What is rounding of the largest is no variance: that of the solver, and of rows that were centred in T.
    constexpr double kRounding =
        std::max(double{std::numeric_limits<double>::epsilon()},
                 double{std::numeric_limits<T>::epsilon()} * double{std::numeric_limits<T>::epsilon()});
    const double noise =
        4.0 * static_cast<double>(scatter_.length()) * kRounding * std::max(spectrum.values[0], 0.0);
    spectrum.values = (spectrum.values.array() > noise).select(spectrum.values, 0.0);
    spectrum.basis = eigen.eigenvectors().rowwise().reverse().template cast<T>();
    spectrum.trace = scatter.trace();
    return spectrum;
  }

  void visit_state(state::Archive& archive) override { archive(scatter_.columns(scatter_.length())); }

 private:
  kernels::AlignedRows<double> scatter_;  // its lower triangle, column by column; what is above is not used
  kernels::AlignedRows<double> rows_;     // X
  Vector<double> mean_;
  Vector<double> panel_;
};

}  // namespace roipca
