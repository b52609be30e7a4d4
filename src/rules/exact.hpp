/// The scatter matrix itself.
#pragma once

#include <Eigen/Eigenvalues>
#include <memory>

#include "rules/rule.hpp"

namespace roipca {

/// Accumulates the d x d scatter in double: exact to rounding, O(d^2) a row and of memory. For small d.
template <typename T>
class ExactRule final : public Rule<T> {
 public:
  explicit ExactRule(Index features) : scatter_(Matrix<double>::Zero(features, features)), row_(features) {}

  std::unique_ptr<Rule<T>> clone() const override { return std::make_unique<ExactRule>(*this); }

  void absorb(Eigen::Ref<Vector<T>> v, const Step& /*step*/) override {
    row_ = v.template cast<double>();
    scatter_.template selfadjointView<Eigen::Lower>().rankUpdate(row_);
  }

  void rescale(double factor) override { scatter_.template triangularView<Eigen::Lower>() *= factor; }

  /// What the eigenpairs leave of the trace is spread evenly over the directions that they leave out.
  void start(const Spectrum<T>& spectrum) override {
    const Index outside = scatter_.rows() - spectrum.basis.cols();
    const double missing = spectrum.trace - spectrum.values.sum();
    const double rest = outside > 0 && missing > 0.0 ? missing / static_cast<double>(outside) : 0.0;
    const Matrix<double> basis = spectrum.basis.template cast<double>();
    scatter_ = basis * (spectrum.values.array() - rest).matrix().asDiagonal() * basis.transpose();
    scatter_.diagonal().array() += rest;
  }

  Spectrum<T> spectrum() const override {
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(scatter_);
    Spectrum<T> spectrum;
    spectrum.values = eigen.eigenvalues().reverse().cwiseMax(0.0);
    spectrum.basis = eigen.eigenvectors().rowwise().reverse().template cast<T>();
    spectrum.trace = scatter_.trace();
    return spectrum;
  }

 private:
  Matrix<double> scatter_;  // its lower triangle
  Vector<double> row_;
};

}  // namespace roipca
