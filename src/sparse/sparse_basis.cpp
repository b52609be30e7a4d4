#include "sparse/sparse_basis.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "linalg/decompositions.hpp"
#include "linalg/products.hpp"
#include "simd/table.hpp"

namespace roipca {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Maximum number of pending rows: products with them cost as many gathers per nonzero as columns cost
// multiplications.
constexpr Index kMostPending = 1024;
// Minimum number of pending blocks for rows to be gathered as soon as an update only adds to the basis.
constexpr Index kWorthGathering = 8;
// Largest factor by which movements of the mean may multiply g, and with it the rounding of the mean's part.
template <typename T>
constexpr double kMostGrowth = std::is_same_v<T, float> ? 0x1p4 : 0x1p10;
// Fraction of its weight that the mean keeps in a block, below which it is not expressed by the next mean.
constexpr double kLeastKept = 0.25;
// Largest condition of M, which multiplies the rounding of what is added to Z.
constexpr double kWorstCondition = 16.0;
// Number of features whose numbers are rotated together, because they stay in the cache.
constexpr Index kPanel = 256;

template <typename T>
Index padded(Index columns) {
  return (columns + simd::kSparseLane<T> - 1) / simd::kSparseLane<T> * simd::kSparseLane<T>;
}

}  // namespace

template <typename T>
SparseBasis<T>::SparseBasis(Index features, Index capacity, Index max_rows)
    : features_(features),
      capacity_(capacity),
      stride_(padded<T>(capacity)),
      max_rows_(max_rows),
      most_pending_(std::max(kMostPending, 4 * (capacity + max_rows))),
      m_(capacity, capacity),
      n_(most_pending_ + max_rows, capacity),
      g_(Eigen::VectorXd::Zero(0)),
      dense_row_(static_cast<std::size_t>(features), 0.0),
      in_z_(max_rows + 1, stride_),
      dots_(max_rows + 1, capacity),
      turned_(most_pending_ + max_rows, capacity),
      factor_(capacity, capacity),
      panel_(simd::panel_size<double>(most_pending_ + max_rows + capacity)) {}

template <typename T>
T* SparseBasis<T>::writable() {
  if (!z_) {
    z_ = std::make_shared<simd::AlignedBuffer<T>>(features_ * stride_);
  } else if (z_.use_count() > 1) {
    z_ = std::make_shared<simd::AlignedBuffer<T>>(*z_);
  }
  return z_->data();
}

template <typename T>
void SparseBasis<T>::start(const simd::AlignedRows<T>& columns, Index count,
                           const SparseMoments<T>& moments) {
  T* const z = writable();
  for (Index from = 0; from < features_; from += kPanel) {
    const Index to = std::min(from + kPanel, features_);
    for (Index j = from; j < to; ++j) {
      for (Index c = 0; c < count; ++c) z[j * stride_ + c] = columns.row(c)[j];
      for (Index c = count; c < stride_; ++c) z[j * stride_ + c] = T{0};
    }
  }
  pending_.clear();
  blocks_pending_ = 0;
  has_all_rows_ = false;
  shares_.resize(0);
  mean_in_pending_.resize(0);
  growth_ = 1.0;
  stored_ = columns_ = count;
  is_identity_ = true;
  g_ = Eigen::VectorXd::Zero(count);
  measure_mean(moments);
}

template <typename T>
void SparseBasis<T>::prepare(double alpha, const SparseMoments<T>& moments) {
  if (stored_ > 0 && growth_ > kMostGrowth<T> * alpha) gather(moments);
}

template <typename T>
void SparseBasis<T>::measure(const CsrRows<T>& rows, const SparseMoments<T>& moments) {
  const auto& loops = simd::table<T>();
  const auto& small = simd::table<double>();
  const Index count = rows.count();
  const Index waiting = pending_.count();
  gram_.resize(count + 1, count + 1);
  in_pending_.resize(waiting, count + 1);
  for (Index i = 0; i < count; ++i) {
    const T* values = rows.values_of(i);
    const int* indices = rows.indices_of(i);
    const Index length = rows.length_of(i);
    for (Index e = 0; e < length; ++e) {
      dense_row_[static_cast<std::size_t>(indices[e])] = static_cast<double>(values[e]);
    }
    const auto product = [&](const CsrRows<T>& others, Index j) {
      return loops.sparse_dot(others.values_of(j), others.indices_of(j), others.length_of(j),
                              dense_row_.data());
    };
    for (Index j = 0; j <= i; ++j) gram_(i, j) = gram_(j, i) = product(rows, j);
    for (Index j = 0; j < waiting; ++j) in_pending_(j, i) = product(pending_, j);
    for (Index e = 0; e < length; ++e) dense_row_[static_cast<std::size_t>(indices[e])] = 0.0;
    const double with_mean =
        loops.sparse_dot(values, indices, length, moments.sums()) * moments.mean_factor();
    gram_(i, count) = gram_(count, i) = with_mean;
    if (stored_ > 0) {
      loops.sparse_dots(values, indices, length, z_->data(), stride_, padded<T>(stored_), in_z_.row(i));
    }
  }
  gram_(count, count) = mean_squared_;
  in_pending_.col(count) = mean_in_pending_;
  if (stored_ > 0) std::copy_n(mean_in_z_.data(), stored_, in_z_.row(count));

  // [rows; mean] B = (. Z) M + (. X^T) N - (. mean) g^T
  const Index all = count + 1;
  for (Index i = 0; i < all; ++i) std::fill_n(dots_.row(i), dots_.padded_length(), 0.0);
  if (columns_ == 0) return;
  if (stored_ > 0 && is_identity_) {
    for (Index i = 0; i < all; ++i) std::copy_n(in_z_.row(i), columns_, dots_.row(i));
  } else if (stored_ > 0) {
    const Small coefficients = in_z_.columns(all).topRows(stored_);  // one column per row
    const RowMajor by_source = coefficients;
    small.add_rows(dots_.row(0), dots_.stride(), 0, m_.view(stored_), by_source.data(), all, all,
                   m_.padded_length(), panel_.data());
  }
  if (waiting > 0) {
    const RowMajor by_source = in_pending_;
    small.add_rows(dots_.row(0), dots_.stride(), 0, n_.view(waiting), by_source.data(), all, all,
                   n_.padded_length(), panel_.data());
  }
  for (Index i = 0; i < all; ++i) {
    Eigen::Map<Eigen::VectorXd>(dots_.row(i), columns_) -= gram_(i, count) * g_;
  }
}

template <typename T>
void SparseBasis<T>::update(const CsrRows<T>& rows, Change change, const SparseMoments<T>& moments) {
  if (change.turn != nullptr) turn(*change.turn);
  g_ += change.of_mean;
  added_ = change.turn == nullptr;
  if (has_all_rows_) {
    // The mean is a combination of the pending rows, so nothing else of it need be stored.
    for (Index i = 0; i < pending_.count(); ++i) {
      Eigen::Map<Eigen::VectorXd>(n_.row(i), columns_) -= shares_[i] * g_;
    }
    g_.setZero();
  } else if (change.alpha < kLeastKept) {
    // The mean that is subtracted here has little in common with the next one.
    append(rows, change.of_rows);
    gather(moments);
    is_mean_stale_ = true;
    return;
  }
  const bool directly = is_direct();
  growth_ /= change.alpha;
  g_ /= change.alpha;
  change.of_rows += change.beta * g_.transpose();
  if (directly && !is_identity_) change.of_rows = linalg::product(change.of_rows, m_inverse_);
  move_mean(rows.count(), change, directly);
  if (directly) {
    add_directly(rows, change.of_rows);
  } else {
    append(rows, change.of_rows);
  }
}

// Updates the products with the mean, and its coefficients as a combination of rows.
template <typename T>
void SparseBasis<T>::move_mean(Index count, const Change& change, bool directly) {
  const double alpha = change.alpha;
  const Eigen::VectorXd& beta = change.beta;
  const auto among = gram_.topLeftCorner(count, count);
  const Eigen::VectorXd before = gram_.col(count).head(count);
  const Eigen::VectorXd among_beta = linalg::apply(among, beta);
  const Eigen::VectorXd after = alpha * before + among_beta;
  mean_squared_ = alpha * alpha * mean_squared_ + 2.0 * alpha * beta.dot(before) + beta.dot(among_beta);
  if (stored_ > 0) {
    mean_in_z_ = alpha * mean_in_z_ + linalg::apply(in_z_.columns(count).topRows(stored_), beta);
    if (directly) linalg::add_applied(1.0, change.of_rows.transpose(), after, mean_in_z_);
  }
  if (directly) return;
  const Index waiting = pending_.count();
  mean_in_pending_ = alpha * mean_in_pending_ + linalg::apply(in_pending_.leftCols(count), beta);
  mean_in_pending_.conservativeResize(waiting + count);
  mean_in_pending_.tail(count) = after;
  if (!has_all_rows_) return;
  shares_ *= alpha;
  shares_.conservativeResize(waiting + count);
  shares_.tail(count) = beta;
  growth_ = 1.0;
}

template <typename T>
void SparseBasis<T>::add_directly(const CsrRows<T>& rows, const Small& of_rows) {
  T* const z = writable();
  simd::AlignedRows<T> coefficients(1, stride_);
  for (Index i = 0; i < rows.count(); ++i) {
    for (Index c = 0; c < columns_; ++c) coefficients.row(0)[c] = static_cast<T>(of_rows(i, c));
    simd::table<T>().sparse_add(rows.values_of(i), rows.indices_of(i), rows.length_of(i), coefficients.row(0),
                                z, stride_, padded<T>(columns_));
  }
}

template <typename T>
void SparseBasis<T>::append(const CsrRows<T>& rows, const Small& of_rows) {
  const Index before = pending_.count();
  for (Index i = 0; i < rows.count(); ++i) {
    double* row = n_.row(before + i);
    std::fill_n(row, n_.padded_length(), 0.0);
    for (Index c = 0; c < columns_; ++c) row[c] = of_rows(i, c);
  }
  pending_.append(rows);
  ++blocks_pending_;
}

template <typename T>
void SparseBasis<T>::turn(const Small& turn) {
  if (stored_ > 0) {
    if (is_identity_) {
      for (Index i = 0; i < stored_; ++i) {
        std::fill_n(m_.row(i), m_.padded_length(), 0.0);
        for (Index c = 0; c < turn.cols(); ++c) m_.row(i)[c] = turn(i, c);
      }
      is_identity_ = false;
    } else {
      multiply(m_, stored_, turn);
    }
  }
  multiply(n_, pending_.count(), turn);
  columns_ = turn.cols();
  invert_m();
  if (g_.size() == 0) {
    g_ = Eigen::VectorXd::Zero(turn.cols());
  } else {
    g_ = linalg::apply(turn.transpose(), g_);
  }
}

// Returns whether M is square and well conditioned, so that additions to B can be made in Z.
template <typename T>
void SparseBasis<T>::invert_m() {
  m_inverse_.resize(0, 0);
  if (is_identity_ || stored_ == 0 || stored_ != columns_) return;
  const Small m = m_.columns(stored_).topRows(columns_).transpose();
  m_inverse_ = linalg::inverse(m);
  const double condition = m.norm() * m_inverse_.norm() / static_cast<double>(columns_);
  if (!(condition < kWorstCondition)) m_inverse_.resize(0, 0);
}

// Sets rows <- rows times a matrix.
template <typename T>
void SparseBasis<T>::multiply(simd::AlignedRows<double>& rows, Index count, const Small& by) {
  if (count == 0) return;
  for (Index c = 0; c < by.cols(); ++c) {
    std::fill_n(factor_.row(c), factor_.padded_length(), 0.0);
    std::copy_n(by.col(c).data(), by.rows(), factor_.row(c));
  }
  simd::table<double>().dots(rows.view(count), factor_.view(by.cols()), factor_.padded_length(),
                             turned_.row(0), turned_.stride());
  for (Index i = 0; i < count; ++i) {
    std::copy_n(turned_.row(i), by.cols(), rows.row(i));
    std::fill(rows.row(i) + by.cols(), rows.row(i) + rows.padded_length(), 0.0);
  }
}

template <typename T>
void SparseBasis<T>::tidy(const SparseMoments<T>& moments) {
  if (is_mean_stale_) measure_mean(moments);
  is_mean_stale_ = false;
  // Updates that only add to the basis can be made in Z, once Z is all of B.
  const bool pays = added_ && !is_direct() && (stored_ == 0 || blocks_pending_ >= kWorthGathering);
  if (pays || pending_.count() >= most_pending_) gather(moments);
}

// Passes B to `take`, some features at a time, each column as a row.
template <typename T>
template <typename Take>
void SparseBasis<T>::for_panels(const SparseMoments<T>& moments, Take&& take) const {
  const CsrRows<T> by_feature = pending_.transposed(features_);
  const Index stride = padded<T>(columns_);
  simd::AlignedBuffer<T> of_rows(pending_.count() * stride);
  for (Index i = 0; i < pending_.count(); ++i) {
    for (Index c = 0; c < columns_; ++c) of_rows.data()[i * stride + c] = static_cast<T>(n_.row(i)[c]);
  }
  Small turn = Small::Zero(stored_, columns_);
  if (!is_identity_) turn = m_.columns(stored_).topRows(columns_).transpose();
  for_panels_of({turn, by_feature, of_rows.data(), stride, g_}, !is_identity_, moments, take);
}

// Returns Z turn (or Z itself without a turn) + X^T of_rows - mean of_mean^T.
template <typename T>
template <typename Take>
void SparseBasis<T>::for_panels_of(const Rebuilding& how, bool turns, const SparseMoments<T>& moments,
                                   Take&& take) const {
  const Index columns = how.turn.cols();
  const Index height = std::max<Index>(std::max(stored_, columns), 1);
  simd::AlignedRows<T> few(height, kPanel);
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by = how.turn.template cast<T>();
  std::vector<T> scratch(static_cast<std::size_t>(simd::panel_size<T>(height)));
  Eigen::VectorXd sums(padded<T>(columns));
  const bool has_mean = !how.of_mean.isZero(0.0);
  for (Index from = 0; from < features_; from += kPanel) {
    const Index width = std::min(kPanel, features_ - from);
    if (stored_ > 0) {
      const T* const z = z_->data() + from * stride_;
      for (Index j = 0; j < width; ++j) {
        for (Index c = 0; c < stored_; ++c) few.row(c)[j] = z[j * stride_ + c];
      }
      if (turns) {
        simd::table<T>().rotate(few.row(0), few.stride(), stored_, {few.row(0), 0, 0}, by.data(), columns,
                                columns, few.padded_length(), scratch.data());
      }
    } else {
      for (Index c = 0; c < columns; ++c) std::fill_n(few.row(c), width, T{0});
    }
    for (Index j = 0; j < width; ++j) {
      const Index length = how.by_feature.length_of(from + j);
      if (length > 0) {
        simd::table<T>().sparse_dots(how.by_feature.values_of(from + j), how.by_feature.indices_of(from + j),
                                     length, how.of_rows, how.stride, padded<T>(columns), sums.data());
      }
      const double mean = has_mean ? moments.sums()[from + j] * moments.mean_factor() : 0.0;
      if (length == 0) {
        if (mean == 0.0) continue;
        sums.setZero();
      }
      T* const place = few.row(0) + j;
      for (Index c = 0; c < columns; ++c) {
        const double minus = mean == 0.0 ? 0.0 : mean * how.of_mean[c];
        place[c * few.stride()] += static_cast<T>(sums[c] - minus);
      }
    }
    take(from, width, few);
  }
}

template <typename T>
void SparseBasis<T>::rebuild(const Rebuilding& how, const SparseMoments<T>& moments) {
  const Index columns = how.turn.cols();
  T* const all = writable();
  for_panels_of(how, true, moments, [&](Index from, Index width, const simd::AlignedRows<T>& few) {
    T* const z = all + from * stride_;
    for (Index j = 0; j < width; ++j) {
      for (Index c = 0; c < columns; ++c) z[j * stride_ + c] = few.row(c)[j];
      for (Index c = columns; c < stored_; ++c) z[j * stride_ + c] = T{0};
    }
  });
  stored_ = columns_ = columns;
  is_identity_ = true;
  g_ = Eigen::VectorXd::Zero(columns);
  has_all_rows_ = false;
  shares_.resize(0);
  mean_in_pending_.resize(0);
  growth_ = 1.0;
  added_ = false;
  is_mean_stale_ = true;
}

template <typename T>
void SparseBasis<T>::rebuild_into(const Rebuilding& how, const SparseMoments<T>& moments, T* to,
                                  Index stride) const {
  for_panels_of(how, true, moments, [&](Index from, Index width, const simd::AlignedRows<T>& few) {
    for (Index c = 0; c < how.turn.cols(); ++c) std::copy_n(few.row(c), width, to + c * stride + from);
  });
}

template <typename T>
simd::AlignedRows<double> SparseBasis<T>::products_with(const CsrRows<T>& rows) const {
  simd::AlignedRows<double> products(stored_, rows.count());
  Eigen::VectorXd dots(padded<T>(std::max<Index>(stored_, 1)));
  for (Index i = 0; i < rows.count() && stored_ > 0; ++i) {
    simd::table<T>().sparse_dots(rows.values_of(i), rows.indices_of(i), rows.length_of(i), z_->data(),
                                 stride_, padded<T>(stored_), dots.data());
    for (Index c = 0; c < stored_; ++c) products.row(c)[i] = dots[c];
  }
  return products;
}

template <typename T>
void SparseBasis<T>::gather(const SparseMoments<T>& moments) {
  T* const all = writable();
  for_panels(moments, [&](Index from, Index width, const simd::AlignedRows<T>& few) {
    T* const z = all + from * stride_;
    for (Index j = 0; j < width; ++j) {
      for (Index c = 0; c < columns_; ++c) z[j * stride_ + c] = few.row(c)[j];
      for (Index c = columns_; c < stored_; ++c) z[j * stride_ + c] = T{0};
    }
  });
  stored_ = columns_;
  is_identity_ = true;
  pending_.clear();
  blocks_pending_ = 0;
  g_.setZero();
  has_all_rows_ = false;
  shares_.resize(0);
  mean_in_pending_.resize(0);
  growth_ = 1.0;
  measure_mean(moments);
}

// Computes mean^T Z and |mean|^2 from their definitions, because the rounding of updates would add up without
// end.
template <typename T>
void SparseBasis<T>::measure_mean(const SparseMoments<T>& moments) {
  mean_in_z_ = Eigen::VectorXd::Zero(stored_);
  mean_squared_ = 0.0;
  for (Index j = 0; j < features_; ++j) {
    const double mean = moments.sums()[j] * moments.mean_factor();
    if (mean == 0.0) continue;
    mean_squared_ += mean * mean;
    if (stored_ == 0) continue;
    mean_in_z_ +=
        mean * Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(z_->data() + j * stride_, stored_)
                   .template cast<double>();
  }
}

template <typename T>
simd::AlignedRows<T> SparseBasis<T>::gathered(const SparseMoments<T>& moments) const {
  simd::AlignedRows<T> columns(capacity_, features_);
  for_panels(moments, [&](Index from, Index width, const simd::AlignedRows<T>& few) {
    for (Index c = 0; c < columns_; ++c) std::copy_n(few.row(c), width, columns.row(c) + from);
  });
  return columns;
}

template <typename T>
void SparseBasis<T>::visit_state(state::Archive& archive) {
  archive.count(stored_, capacity_);
  archive.count(columns_, capacity_);
  archive(is_identity_, has_all_rows_, growth_, mean_squared_);
  archive.count(blocks_pending_, most_pending_ + max_rows_);
  if (stored_ > 0) {
    if (!z_) writable();
    archive(Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(z_->data(), features_ * stride_));
  }
  if (!is_identity_) {
    archive(m_.columns(stored_));
    invert_m();
  }
  pending_.visit_state(archive, most_pending_ + max_rows_, features_);
  const Index waiting = pending_.count();
  archive(n_.columns(waiting));
  g_.resize(columns_);
  mean_in_z_.resize(stored_);
  mean_in_pending_.resize(waiting);
  shares_.resize(has_all_rows_ ? waiting : 0);
  archive(g_, mean_in_z_, mean_in_pending_, shares_);
}

template class SparseBasis<float>;
template class SparseBasis<double>;

}  // namespace roipca
