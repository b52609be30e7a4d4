#include "rules/froipca.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace roipca {

template <typename T>
FroipcaRule<T>::FroipcaRule(const Options& options, Index features, Index capacity)
    : RankOneRule<T, FroipcaRule<T>>(options, features, capacity),
      tau_(options.tau),
      along_projection_(Vector<double>::Zero(capacity)),
      along_residual_(Vector<double>::Zero(capacity)),
      rates_(Vector<double>::Zero(capacity)),
      left_(Matrix<double>::Zero(capacity, 4)),
      right_(Matrix<double>::Zero(capacity, 4)),
      row_(Vector<double>::Zero(capacity)) {}

template <typename T>
void FroipcaRule<T>::absorb(Eigen::Ref<Vector<T>> v, const Step& step) {
  const double residual = this->solve(v, step);
  const bool small_turn = find_moves(residual);
  const bool grows = residual > 0.0 && this->rank_ < this->capacity();
  if (small_turn && !grows) {
    move(residual > 0.0 ? Eigen::Ref<const Vector<T>>(v) : Eigen::Ref<const Vector<T>>(v.head(0)));
  } else {
    this->rotate(v);
  }
  this->take_values();
  this->guard_.watch(this->components(), step.rows_before);
}

template <typename T>
std::vector<double> FroipcaRule<T>::learning_rates() const {
  return {rates_.data(), rates_.data() + this->rank_};
}

// The fast formula with the small eigenvectors V, whose entries are z_j / (lambda_j - t_i) and |r| / (mu -
// t_i) up to one factor a column. That factor drops out below, and V is accurate where the differences are
// not. False where the formula does not hold.
template <typename T>
bool FroipcaRule<T>::find_moves(double residual) {
  bool holds = true;
  const Index k = this->rank_;
  const auto vectors = this->small_vectors(k);
  const auto z = this->splitter_.coordinates().head(k);
  const double z_squared = z.squaredNorm();
  const double z_norm = std::sqrt(z_squared);
  for (Index i = 0; i < k; ++i) {
    double tau = 0.0;
    const double others = z_squared - z[i] * z[i];
    if (tau_ == Tau::kOptimal && others > 0.0) {
      tau = (vectors.col(i).head(k).dot(z) - vectors(i, i) * z[i]) / others;
    }
    const double own = vectors(i, i) - tau * z[i];
    const double out = residual > 0.0 ? vectors(k, i) : 0.0;
    holds = holds && std::abs(out) <= std::abs(own) && std::abs(tau) * z_norm <= std::abs(own) && own != 0.0;
    along_projection_[i] = tau / own;
    along_residual_[i] = out / own;
    // q_i + eta z_i r is the gradient rule; z_i = 0 leaves q_i where it is at any rate.
    const bool moves = residual > 0.0 && z[i] != 0.0 && own != 0.0;
    rates_[i] = moves ? along_residual_[i] / (residual * z[i]) : 0.0;
  }
  return holds;
}

// Q <- polar factor of Q (I + z a^T) + u c^T, u the unit residual. Its Gram matrix is I + W S W^T with the
// few columns W = [z, a, c], so the inverse square root is I + O D O^T for an orthonormal basis O of W, and
// the whole update is Q + Q (z right_0^T + O right_1^T) + u row^T.
template <typename T>
void FroipcaRule<T>::move(const Eigen::Ref<const Vector<T>>& unit_residual) {
  const Index k = this->rank_;
  const auto c = along_residual_.head(k);
  auto row = row_.head(k);
  if (tau_ == Tau::kZero) {
    const double c_squared = c.squaredNorm();
    if (c_squared == 0.0) return;
    // (I + c c^T)^(-1/2) = I - g c c^T, with g stable where |c| is small.
    const double root = std::sqrt(1.0 + c_squared);
    const double g = 1.0 / (root * (1.0 + root));
    left_.col(0).head(k) = c;
    right_.col(0).head(k) = -g * c;
    row = c / root;
    this->rotation_.add_low_rank(this->components(), left_.topLeftCorner(k, 1), right_.topLeftCorner(k, 1),
                                 unit_residual, row);
    return;
  }
  const auto z = this->splitter_.coordinates().head(k);
  const auto a = along_projection_.head(k);
  // Gram-Schmidt on [z, a, c]; a dependent column leaves a zero column, which drops out by itself.
  auto basis = left_.block(0, 1, k, 3);
  basis.col(0) = z;
  basis.col(1) = a;
  basis.col(2) = c;
  for (Index j = 0; j < 3; ++j) {
    const double before = basis.col(j).norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < j; ++i) basis.col(j) -= basis.col(i).dot(basis.col(j)) * basis.col(i);
    }
    const double left = basis.col(j).norm();
    if (left > 1e-14 * before) {
      basis.col(j) /= left;
    } else {
      basis.col(j).setZero();
    }
  }
  const Eigen::Vector3d z3 = basis.transpose() * z;
  const Eigen::Vector3d a3 = basis.transpose() * a;
  const Eigen::Vector3d c3 = basis.transpose() * c;
  const Eigen::Matrix3d gram = Eigen::Matrix3d::Identity() + a3 * z3.transpose() + z3 * a3.transpose() +
                               z3.squaredNorm() * a3 * a3.transpose() + c3 * c3.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(gram);
  const Eigen::Matrix3d d = eigen.operatorInverseSqrt() - Eigen::Matrix3d::Identity();
  left_.col(0).head(k) = z;
  const Eigen::Vector3d a_bent = d * a3;
  const Eigen::Vector3d c_bent = d * c3;
  right_.col(0).head(k) = a;
  right_.col(0).head(k).noalias() += basis * a_bent;
  right_.block(0, 1, k, 3).noalias() = basis * d;
  row = c;
  row.noalias() += basis * c_bent;
  this->rotation_.add_low_rank(this->components(), left_.topLeftCorner(k, 4), right_.topLeftCorner(k, 4),
                               unit_residual, row);
}

template class FroipcaRule<float>;
template class FroipcaRule<double>;

}  // namespace roipca
