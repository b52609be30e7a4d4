#include "rules/frequent_directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "basis/orthonormal.hpp"
#include "linalg/products.hpp"

namespace roipca {

template <typename T>
FrequentDirectionsRule<T>::FrequentDirectionsRule(Index features, Index capacity)
    : Rule<T>(features),
      capacity_(capacity),
      sketch_(2 * capacity, features),
      squares_(Vector<double>::Ones(2 * capacity)),
      scales_(2 * capacity),
      rotation_(2 * capacity),
      gram_(2 * capacity, 2 * capacity),
      turn_(2 * capacity, capacity),
      eigen_(2 * capacity) {}

template <typename T>
std::unique_ptr<Rule<T>> FrequentDirectionsRule<T>::clone() const {
  return std::make_unique<FrequentDirectionsRule>(*this);
}

template <typename T>
void FrequentDirectionsRule<T>::absorb(Eigen::Ref<Vector<T>> v, const Step& step) {
  if (filled_ == 2 * capacity_) shrink();
  trace_ += step.squared_norm;
  squares_[filled_] = 1.0;
  ++filled_;
  sketch_.columns(filled_).col(filled_ - 1) = v;
}

template <typename T>
void FrequentDirectionsRule<T>::rescale(double factor) {
  trace_ *= factor;
  // Scales the squares instead of the columns: the root of a factor would be rounded to one side, row after
  // row.
  squares_.head(filled_) *= factor;
}

template <typename T>
void FrequentDirectionsRule<T>::start(const Spectrum<T>& spectrum) {
  filled_ = std::min(spectrum.basis.cols(), capacity_);
  sketch_.columns(filled_) = spectrum.basis.leftCols(filled_) *
                             spectrum.values.head(filled_).cwiseSqrt().template cast<T>().asDiagonal();
  squares_.setOnes();
  trace_ = spectrum.trace;
}

// Sets B <- B V diag((s_i^2 - s_{k+1}^2)^(1/2) / s_i), for the eigenpairs (s^2, V) of B^T B.
template <typename T>
void FrequentDirectionsRule<T>::shrink() {
  simd::table<T>().gram(sketch_.view(filled_), sketch_.padded_length(), gram_.data(), gram_.cols());
  scales_ = squares_.cwiseSqrt();
  auto scaled = eigen_.matrix(filled_);
  for (Index j = 0; j < filled_; ++j) {
    for (Index i = j; i < filled_; ++i) scaled(i, j) = scales_[i] * gram_(i, j) * scales_[j];
  }
  eigen_.solve(filled_);
  const auto squares = eigen_.values();
  const double smallest = std::max(0.0, squares[capacity_]);
  turn_ = eigen_.vectors(capacity_);
  for (Index i = 0; i < capacity_; ++i) {
    const double left = squares[i] > smallest ? std::sqrt((squares[i] - smallest) / squares[i]) : 0.0;
    turn_.col(i).array() *= left * scales_.array();
  }
  rotation_.apply(sketch_, nullptr, turn_);
  squares_.setOnes();
  filled_ = capacity_;
}

template <typename T>
Spectrum<T> FrequentDirectionsRule<T>::spectrum() const {
  const Vector<double> scales = squares_.head(filled_).cwiseSqrt();
  const Matrix<double> rows = sketch_.columns(filled_).template cast<double>() * scales.asDiagonal();
  linalg::SymmetricEigen eigen(filled_);
  eigen.compute(linalg::product(rows.transpose(), rows));
  const double noise = static_cast<double>(filled_) * double{std::numeric_limits<T>::epsilon()};
  const Index rank = filled_ == 0 ? 0 : (eigen.values().array() > noise * eigen.values()[0]).count();
  const Index kept = std::min(capacity_, rank);
  Spectrum<T> spectrum;
  spectrum.values = eigen.values().head(kept);
  spectrum.basis = linalg::product(rows, eigen.vectors(kept)).template cast<T>();
  orthonormalise<T>(spectrum.basis);
  spectrum.trace = trace_;
  return spectrum;
}

template class FrequentDirectionsRule<float>;
template class FrequentDirectionsRule<double>;

}  // namespace roipca
