/// fROIPCA (the paper's algorithm 1, fast variant).
#pragma once

#include <vector>

#include "rules/rank_one_rule.hpp"

namespace roipca {

/// Eigenvalues as ROIPCA; each component moves along itself, the row's projection and the row's residual only
/// (the fast first order eigenvector formula): O(k d) a row.
///
/// In units where the coefficient of q_i is 1, the formula reads q_i + a_i Q z + c_i r. The set {q_i + a_i Qz
/// + c_i r} is not orthonormal, to second order in a and c. Instead of letting that drift grow, every update
/// takes the nearest orthonormal set, the polar factor of Q (I + z a^T) + r c^T, which a low-rank form gives
/// in O(k d) as well. For one component it is the paper's normalisation.
///
/// A row that turns a component by more than 45 degrees is outside of what the formula approximates and is
/// applied exactly, as ROIPCA would. After the first rows of a stream there are few.
template <typename T>
class FroipcaRule final : public RankOneRule<T, FroipcaRule<T>> {
 public:
  FroipcaRule(const Options& options, Index features, Index capacity);

  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) override;
  std::vector<double> learning_rates() const override;

 private:
  bool find_moves(double residual);
  void move(const Eigen::Ref<const Vector<T>>& unit_residual);

  Tau tau_;
  Vector<double> along_projection_;  // a, with Q z of unit coefficient
  Vector<double> along_residual_;    // c |r|
  Vector<double> rates_;
  Matrix<double> left_;
  Matrix<double> right_;
  Vector<double> row_;
};

extern template class FroipcaRule<float>;
extern template class FroipcaRule<double>;

}  // namespace roipca
