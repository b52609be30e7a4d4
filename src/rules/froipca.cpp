#include "rules/froipca.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace roipca {
namespace {

constexpr Index kTerms =
    5;  // of a move with tau: the residual, the projection, and three of the polar factor

// Fraction of |v|^2 that the residual must have for |v|^2 - |z|^2 to give it; below, its length is computed
// from the vector. The fourth root of epsilon in double; float can spare three bits.
template <typename T>
constexpr double kCancels = std::is_same_v<T, float> ? 0x1p-3 : 0x1p-13;

// With Q^T Q = I + E, the residual v - Q z of z = Q^T v deviates from orthogonality to Q by E z, so that a
// move along r / |r| changes E by up to 2 |c| |z| / |r| times itself, at every row. This is the largest value
// allowed for |c| |v| / |r|. Beyond it, the drift could grow by a factor of e^2 or more over the 128 or more
// rows between two checks (a random walk of such changes), and the residual is computed from the vector,
// orthogonal to Q as it is.
constexpr double kMostOfDrift = 0x1p-4;

// Squared cosine of the largest angle by which the formula may turn a component, out of the span or within
// it: 45 degrees.
constexpr double kLeastOwnPart = 0.5;

// Returns the tau that fits z_j tau to the entries V_ji for all j but i: sum z_j V_ji / sum z_j^2. Next to a
// component far larger than the others, the sums without i cannot be computed as differences. `before` is the
// sum of z_j^2 for j < i.
double optimal_tau(const Eigen::Ref<const Vector<double>>& vector, const Eigen::Ref<const Vector<double>>& z,
                   Index i, double before) {
  const Index after = z.size() - i - 1;
  const double others = before + z.tail(after).squaredNorm();
  if (!(others > 0.0)) return 0.0;
  return (vector.head(i).dot(z.head(i)) + vector.tail(after).dot(z.tail(after))) / others;
}

}  // namespace

template <typename T>
FroipcaRule<T>::FroipcaRule(const Options& options, Index features, Index capacity)
    : Base(features, capacity, 1),
      tau_(options.tau),
      secular_(options.mu, features, capacity),
      splitter_(capacity),
      rotation_(capacity + 1),
      guard_(capacity),
      z_(Vector<double>::Zero(capacity + 1)),
      along_projection_(Vector<double>::Zero(capacity)),
      along_residual_(Vector<double>::Zero(capacity)),
      rates_(Vector<double>::Zero(capacity)),
      left_(Matrix<double>::Zero(capacity, kTerms)),
      right_(Matrix<double>::Zero(capacity, kTerms)),
      left_rounded_(Matrix<T>::Zero(capacity, kTerms)),
      right_rounded_(Matrix<T>::Zero(capacity, kTerms)) {}

template <typename T>
void FroipcaRule<T>::absorb(Eigen::Ref<Vector<T>> v, const Step& step) {
  row() = v;
  project(step);
  bool small_turn = find_moves(step);
  if (!is_residual_ && !(small_turn && is_accurate(step))) {
    take_off_projection(step);
    small_turn = find_moves(step);
  }
  trace_ += step.squared_norm;
  const bool grows = secular_.kept() > rank_;
  if (small_turn && !grows) {
    move(tau_ == Tau::kZero ? polar_terms() : polar_terms_with_tau());
  } else {
    rotate();
  }
  values_.head(rank_) = secular_.values();
  guard_.watch(this->components(), step.rows_before);
}

template <typename T>
std::vector<double> FroipcaRule<T>::learning_rates() const {
  return {rates_.data(), rates_.data() + rank_};
}

// Computes z and |r|. The slot still holds the row, from which the move computes the residual, unless that
// cancels or becomes a component.
template <typename T>
void FroipcaRule<T>::project(const Step& step) {
  is_residual_ = false;
  if (rank_ < this->capacity()) return take_off_projection(step);
  const simd::RowsView<T> v{behind_components(), 0, 1};
  simd::table<T>().dots(rows_.view(rank_ + 1), v, rows_.padded_length(), z_.data(), 1);
  // The length of the rounded row, like z; step.squared_norm is that of the row before it was rounded to T.
  const double squared_norm = z_[rank_];
  const double left = squared_norm - z_.head(rank_).squaredNorm();
  residual_ = std::sqrt(std::max(left, 0.0));
  if (left < kCancels<T> * squared_norm) take_off_projection(step);
}

template <typename T>
void FroipcaRule<T>::take_off_projection(const Step& step) {
  residual_ =
      splitter_.split(rows_.view(rank_), rows_.padded_length(), step.squared_norm, behind_components());
  z_.head(rank_) = splitter_.coordinates().head(rank_);
  is_residual_ = true;
}

// Applies the fast formula with the small eigenvectors V, whose entries are z_j / (lambda_j - t_i) and |r| /
// (mu - t_i) up to one factor per column. That factor cancels below, and V is accurate even if the
// differences are not. Returns false if the formula does not apply.
template <typename T>
bool FroipcaRule<T>::find_moves(const Step& step) {
  secular_.solve(values_.head(rank_), trace_ - values_.head(rank_).sum(),
                 step.weight_before * step.unit * step.unit, z_.head(rank_), residual_);
  bool holds = true;
  const Index k = rank_;
  const auto vectors = secular_.vectors();
  const auto z = z_.head(k);
  const double z_norm = z.norm();
  double before = 0.0;  // the sum of z_j^2 for j < i
  for (Index i = 0; i < k; ++i) {
    const double tau = tau_ == Tau::kOptimal ? optimal_tau(vectors.col(i).head(k), z, i, before) : 0.0;
    before += z[i] * z[i];
    const double own = vectors(i, i) - tau * z[i];
    const double out = residual_ > 0.0 ? vectors(k, i) : 0.0;
    const bool turns = vectors(i, i) * vectors(i, i) < kLeastOwnPart;
    holds = holds && !turns && std::abs(out) <= std::abs(own) && std::abs(tau) * z_norm <= std::abs(own) &&
            own != 0.0;
    along_projection_[i] = tau / own;
    along_residual_[i] = out / own;
    // q_i + eta z_i r is the gradient rule; z_i = 0 leaves q_i unchanged at any rate.
    const bool moves = residual_ > 0.0 && z[i] != 0.0 && own != 0.0;
    rates_[i] = moves ? along_residual_[i] / (residual_ * z[i]) : 0.0;
  }
  return holds;
}

template <typename T>
bool FroipcaRule<T>::is_accurate(const Step& step) const {
  return along_residual_.head(rank_).norm() * std::sqrt(step.squared_norm) <= kMostOfDrift * residual_;
}

// Q <- polar factor of Q + u c^T, u the unit residual: Q + (u / s - g Q c) c^T with s = (1 + |c|^2)^(1/2) and
// g = 1 / (s (1 + s)). With u = (v - Q z) / |r| that is one term,
// Q + (v - Q (z + |r| c / (1 + s))) c^T / (s |r|), so that the residual need not be formed.
template <typename T>
Index FroipcaRule<T>::polar_terms() {
  const auto c = along_residual_.head(rank_);
  const double c_squared = c.squaredNorm();
  if (c_squared == 0.0) return 0;
  const double s = std::sqrt(1.0 + c_squared);
  left_.col(0).head(rank_) = (-residual_ / (1.0 + s)) * c;
  if (!is_residual_) left_.col(0).head(rank_) -= z_.head(rank_);
  right_.col(0).head(rank_) = c / (s * residual_);
  return 1;
}

// Sets Q <- polar factor of Q (I + z a^T) + u c^T. Its Gram matrix is I + W S W^T with the few columns W =
// [z, a, c], so the inverse square root is I + O D O^T for an orthonormal basis O of W.
template <typename T>
Index FroipcaRule<T>::polar_terms_with_tau() {
  const Index k = rank_;
  const auto z = z_.head(k);
  const auto a = along_projection_.head(k);
  const auto c = along_residual_.head(k);
  // Gram-Schmidt on [z, a, c]; a dependent column becomes zero and has no effect.
  auto basis = left_.block(0, 2, k, 3);
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
  const Eigen::Vector3d a_bent = d * a3;
  const Eigen::Vector3d c_bent = d * c3;
  // r (c + O D c) / |r|, with r = v - Q z.
  auto along_r = right_.col(0).head(k);
  along_r.setZero();
  if (residual_ > 0.0) {
    along_r = c;
    along_r.noalias() += basis * c_bent;
    along_r /= residual_;
  }
  left_.col(0).head(k).setZero();
  if (!is_residual_) left_.col(0).head(k) = -z;
  left_.col(1).head(k) = z;
  right_.col(1).head(k) = a;
  right_.col(1).head(k).noalias() += basis * a_bent;
  right_.block(0, 2, k, 3).noalias() = basis * d;
  return kTerms;
}

template <typename T>
void FroipcaRule<T>::move(Index terms) {
  if (terms == 0) return;
  left_rounded_.topLeftCorner(rank_, terms) = left_.topLeftCorner(rank_, terms).template cast<T>();
  right_rounded_.topLeftCorner(rank_, terms) = right_.topLeftCorner(rank_, terms).template cast<T>();
  simd::table<T>().add_low_rank(rows_.row(0), rows_.stride(), rank_, behind_components(),
                                left_rounded_.data(), right_rounded_.data(), terms, this->capacity(),
                                rows_.padded_length());
}

// Sets Q <- [Q, r/|r|] V: exact, O(k^2 d).
template <typename T>
void FroipcaRule<T>::rotate() {
  if (residual_ > 0.0) row() *= static_cast<T>(1.0 / residual_);
  rotation_.apply(rows_, residual_ > 0.0 ? behind_components() : nullptr, secular_.vectors());
  rank_ = secular_.kept();
}

template class FroipcaRule<float>;
template class FroipcaRule<double>;

}  // namespace roipca
