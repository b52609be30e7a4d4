/// Frequent Directions (Liberty 2013; Ghashami, Liberty, Phillips and Woodruff 2016).
#pragma once

#include <memory>

#include "basis/rotation.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// A sketch of at most 2 k rows. When it is full, its singular values are shrunk so that k rows are left:
/// sigma_i^2 loses sigma_{k+1}^2. O(k d) per row on average, since a shrink costs O(k^2 d) every k rows.
template <typename T>
class FrequentDirectionsRule final : public Rule<T> {
 public:
  FrequentDirectionsRule(Index features, Index capacity);

  std::unique_ptr<Rule<T>> clone() const override;
  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) override;
  void rescale(double factor) override;
  void start(const Spectrum<T>& spectrum) override;
  Spectrum<T> spectrum() const override;

  void visit_state(state::Archive& archive) override {
    archive.count(filled_, 2 * capacity_);
    archive(sketch_.columns(filled_), squares_, trace_);
  }

 private:
  void shrink();

  Index capacity_;
  Index filled_ = 0;
  simd::AlignedRows<T> sketch_;  // room for 2 capacity rows
  Vector<double> squares_;       // squares of the factors on its rows
  Vector<double> scales_;        // roots of `squares_`, during a shrink
  Rotation<T> rotation_;
  RowMatrix<double> gram_;  // products of the rows
  Matrix<double> turn_;     // the combinations that are kept
  linalg::SymmetricEigen eigen_;
  double trace_ = 0.0;
};

extern template class FrequentDirectionsRule<float>;
extern template class FrequentDirectionsRule<double>;

}  // namespace roipca
