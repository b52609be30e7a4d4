#include "secular/rank_one_eigen.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "secular/lanes.hpp"
#include "secular/loewner.hpp"

namespace roipca::secular {

RankOneEigen::RankOneEigen(std::size_t max_order) { reserve(max_order); }

void RankOneEigen::reserve(std::size_t max_order) {
  if (max_order <= values_.size()) return;
  form_.reserve(max_order);
  deflation_.reserve(max_order);
  equation_.reserve(max_order);
  roots_.resize(max_order);
  root_values_.resize(max_order);
  root_columns_.resize(max_order);
  deflated_columns_.resize(max_order);
  z_hat_.resize(padded(max_order));
  scratch_.resize(padded(max_order));
  values_.resize(max_order);
  vectors_.resize(max_order * max_order);
}

Report RankOneEigen::compute(std::span<const double> poles, std::span<const double> z, double rho) {
  assert(poles.size() == z.size());
  assert(std::is_sorted(poles.begin(), poles.end(), std::greater<>()));
  order_ = poles.size();
  if (order_ == 0) return {};
  reserve(order_);
  form_.assign(poles, z, rho);
  deflation_.run(form_);
  Report report;
  report.deflated = static_cast<int>(deflation_.deflated().size());
  report.iterations = find_roots();
  merge_values();
  write_vectors();
  undo_rotations();
  return report;
}

int RankOneEigen::find_roots() {
  equation_.clear();
  for (const Row& row : deflation_.survivors())
    equation_.add(form_.scale(row.pole), form_.rho * row.z * row.z);
  equation_.seal();
  int iterations = 0;
  for (std::size_t i = 0; i < equation_.order; ++i) {
    roots_[i] = find_root(equation_, i);
    root_values_[i] = form_.unscale(equation_.poles[roots_[i].pole] + roots_[i].offset);
    iterations += roots_[i].iterations;
  }
  return iterations;
}

void RankOneEigen::merge_values() {
  const std::span<const Row> deflated = deflation_.deflated();
  std::size_t root = 0;
  std::size_t row = 0;
  for (std::size_t rank = 0; rank < order_; ++rank) {
    const bool take_root =
        row == deflated.size() || (root < equation_.order && root_values_[root] >= deflated[row].pole);
    const double value = take_root ? root_values_[root] : deflated[row].pole;
    const std::size_t column = form_.in_caller_order(rank);
    values_[column] = form_.mirrored ? -value : value;
    (take_root ? root_columns_[root++] : deflated_columns_[row++]) = column;
  }
}

void RankOneEigen::write_vectors() {
  const std::span<const Row> deflated = deflation_.deflated();
  if (!deflated.empty()) std::fill_n(vectors_.begin(), order_ * order_, 0.0);
  for (std::size_t i = 0; i < deflated.size(); ++i) {
    vectors_[deflated_columns_[i] * order_ + deflated[i].place] = 1.0;
  }

  const std::span<const Row> survivors = deflation_.survivors();
  rebuild_z(equation_, {roots_.data(), survivors.size()}, z_hat_, scratch_);
  for (std::size_t j = 0; j < survivors.size(); ++j) z_hat_[j] = std::copysign(z_hat_[j], survivors[j].z);
  for (std::size_t i = 0; i < survivors.size(); ++i) {
    const double inverse_norm = eigenvector(equation_, roots_[i], z_hat_, scratch_);
    // Entry i is made positive, so that the vectors tend to the identity as rho tends to zero, not to a
    // reflection.
    const double factor = std::copysign(inverse_norm, scratch_[i]);
    double* column = vectors_.data() + root_columns_[i] * order_;
    for (std::size_t j = 0; j < survivors.size(); ++j) column[survivors[j].place] = scratch_[j] * factor;
  }
}

void RankOneEigen::undo_rotations() {
  const std::span<const Rotation> rotations = deflation_.rotations();
  if (rotations.empty()) return;
  for (std::size_t i = 0; i < order_; ++i) {
    double* column = vectors_.data() + i * order_;
    for (std::size_t k = rotations.size(); k-- > 0;) {
      const Rotation& rotation = rotations[k];
      double& dropped = column[rotation.dropped];
      double& kept = column[rotation.kept];
      const double y = dropped;
      dropped = rotation.cosine * y + rotation.sine * kept;
      kept = rotation.cosine * kept - rotation.sine * y;
    }
  }
}

}  // namespace roipca::secular
