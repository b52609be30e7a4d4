/// fROIPCA (the paper's algorithm 1, fast variant).
#pragma once

#include <vector>

#include "basis/rotation.hpp"
#include "basis/split.hpp"
#include "rules/basis_rule.hpp"
#include "rules/truncated_secular.hpp"

namespace roipca {

/// Eigenvalues are those of ROIPCA. Each component moves only along itself, the row's projection and the
/// row's residual (the fast first order eigenvector formula): O(k d) per row, in two passes over the
/// components, of which only the second writes.
///
/// In units where the coefficient of q_i is 1, the formula reads q_i + a_i Q z + c_i r. To second order in a
/// and c, the set {q_i + a_i Qz + c_i r} is not orthonormal. To keep that drift from growing, every update
/// takes the nearest orthonormal set, the polar factor of Q (I + z a^T) + r c^T, which a low-rank form also
/// gives in O(k d). For one component it is the paper's normalisation.
///
/// A row that turns a component by more than 45 degrees is beyond the range of the formula and is applied
/// exactly, as by ROIPCA. After the first rows of a stream there are few.
template <typename T>
class FroipcaRule final : public BasisRule<T, FroipcaRule<T>> {
 public:
  FroipcaRule(const Options& options, Index features, Index capacity);

  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) override;
  std::vector<double> learning_rates() const override;

  void visit_state(state::Archive& archive) override {
    Base::visit_state(archive);
    archive(rates_);
  }

 private:
  using Base = BasisRule<T, FroipcaRule<T>>;
  using Base::rank_, Base::rows_, Base::trace_, Base::values_;

  void project(const Step& step);
  void take_off_projection(const Step& step);
  bool find_moves(const Step& step);
  bool is_accurate(const Step& step) const;
  Index polar_terms();
  Index polar_terms_with_tau();
  void move(Index terms);
  void rotate();

  // Returns the place for the row behind the components, where one pass multiplies it by the components and
  // by itself.
  T* behind_components() { return rows_.row(this->capacity()); }
  auto row() { return Eigen::Map<Vector<T>>(behind_components(), this->features()); }

  Tau tau_;
  TruncatedSecular secular_;
  Splitter<T> splitter_;
  Rotation<T> rotation_;
  DriftGuard<T> guard_;
  Vector<double> z_;                 // with room for |v|^2 after it
  double residual_ = 0.0;            // |r|
  bool is_residual_ = false;         // whether the slot holds r rather than the row
  Vector<double> along_projection_;  // a, with Q z of unit coefficient
  Vector<double> along_residual_;    // c |r|
  Vector<double> rates_;
  Matrix<double> left_;  // the moves, as the kernel add_low_rank takes them
  Matrix<double> right_;
  Matrix<T> left_rounded_;
  Matrix<T> right_rounded_;
};

extern template class FroipcaRule<float>;
extern template class FroipcaRule<double>;

}  // namespace roipca
