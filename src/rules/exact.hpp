/// The scatter matrix itself.
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>

#include "kernels/aligned_rows.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// Accumulates the d x d scatter in double: exact to rounding, O(d^2) a row and of memory. For small d. Rows
/// are collected and added by blocks.
template <typename T>
class ExactRule final : public Rule<T> {
 public:
  explicit ExactRule(Index features)
      : Rule<T>(features),
        scatter_(features, features),
        block_(kBlock, features),
        factors_(Vector<double>::Ones(kBlock)),
        panel_(kernels::kLane<double> * 16) {}

  std::unique_ptr<Rule<T>> clone() const override { return std::make_unique<ExactRule>(*this); }

  void absorb(Eigen::Ref<Vector<T>> v, const Step& /*step*/) override {
    block_.columns(filled_ + 1).col(filled_) = v.template cast<double>();
    factors_[filled_] = 1.0;
    if (++filled_ == kBlock) flush();
  }

  void rescale(double factor) override {
    decay_ *= factor;
    factors_.head(filled_) *= std::sqrt(factor);
  }

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
    filled_ = 0;
    decay_ = 1.0;
  }

  Spectrum<T> spectrum() const override {
    if (filled_ > 0) {
      ExactRule settled(*this);
      settled.flush();
      return settled.spectrum();
    }
    const auto scatter = scatter_.columns(scatter_.length());
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(scatter);
    Spectrum<T> spectrum;
    spectrum.values = decay_ * eigen.eigenvalues().reverse().cwiseMax(0.0);
    spectrum.basis = eigen.eigenvectors().rowwise().reverse().template cast<T>();
    spectrum.trace = decay_ * scatter.trace();
    return spectrum;
  }

 private:
  static constexpr Index kBlock = 32;

  void flush() {
    if (decay_ != 1.0) scatter_.columns(scatter_.length()) *= decay_;
    decay_ = 1.0;
    for (Index i = 0; i < filled_; ++i) {
      if (factors_[i] != 1.0) block_.columns(filled_).col(i) *= factors_[i];
    }
    kernels::table<double>().add_outer(scatter_.row(0), scatter_.stride(), block_.view(filled_),
                                       scatter_.length(), scatter_.padded_length(), panel_.data());
    filled_ = 0;
  }

  kernels::AlignedRows<double> scatter_;  // its lower triangle, column by column; what is above is not used
  kernels::AlignedRows<double> block_;
  Vector<double> factors_;  // by which forgetting has scaled each row since it came
  double decay_ = 1.0;      // by which it has scaled the scatter since the last flush
  Vector<double> panel_;
  Index filled_ = 0;
};

}  // namespace roipca
