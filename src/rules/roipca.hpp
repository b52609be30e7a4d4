/// ROIPCA row by row (the paper's algorithm 1).
#pragma once

#include <memory>

#include "basis/deferred_basis.hpp"
#include "basis/orthonormal.hpp"
#include "rules/rule.hpp"
#include "rules/truncated_secular.hpp"

namespace roipca {

/// Updates eigenvalues by the truncated secular equation and components by the truncated eigenvector formula,
/// one row after the other. The O(k^2 d) operations of the formula are deferred and amount to O(k d) per row
/// on average: see DeferredBasis. Reading works on a copy, so that it does not change the rows at which they
/// are carried out.
template <typename T>
class RoipcaRule final : public Rule<T> {
 public:
  RoipcaRule(const Options& options, Index features, Index capacity);

  std::unique_ptr<Rule<T>> clone() const override { return std::make_unique<RoipcaRule>(*this); }
  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) override;
  void rescale(double factor) override;
  void start(const Spectrum<T>& spectrum) override;
  Spectrum<T> spectrum() const override;

  void visit_state(state::Archive& archive) override {
    archive(basis_, values_, unheld_, trace_, squared_norms_, factors_, weights_, rows_, rows_settled_);
  }

 private:
  static constexpr Index kGroup = DeferredBasis<T>::kGroup;

  void enlarge(Index i, Index features);
  void take_group();
  void settle();

  TruncatedSecular secular_;
  DeferredBasis<T> basis_;
  DriftGuard<T> guard_;
  Vector<double> values_;
  double unheld_ = 0.0;  // sum of the eigenvalues that are not held
  double trace_ = 0.0;
  Vector<double> z_;
  // For the waiting rows: |v|^2, the factor to multiply v by (because it was enlarged, or because forgetting
  // has scaled it since), and the weight before it in squared units.
  Vector<double> squared_norms_;
  Vector<double> factors_;
  Vector<double> weights_;
  std::int64_t rows_ = 0;          // number of rows of the stream
  std::int64_t rows_settled_ = 0;  // number of these that have been applied to the long components
};

extern template class RoipcaRule<float>;
extern template class RoipcaRule<double>;

}  // namespace roipca
