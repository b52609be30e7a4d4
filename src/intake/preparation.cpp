#include "roipca/preparation.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "intake/given_sparse_rows.hpp"
#include "intake/row_check.hpp"
#include "intake/sparse_entries.hpp"

namespace roipca {
namespace {

void require_size(const char* what, std::size_t size, Index features) {
  if (size == 0 || size == static_cast<std::size_t>(features)) return;
  throw std::invalid_argument(std::string(what) + " has " + std::to_string(size) +
                              " entries; the rows have " + std::to_string(features) + " features");
}

}  // namespace

template <typename T>
Preparation<T>::Preparation(PreparationSteps steps, Index features, Index first_column)
    : steps_(std::move(steps)), features_(features), first_column_(first_column), kept_(features) {
  if (steps_.target_sum && !(std::isfinite(*steps_.target_sum) && *steps_.target_sum > 0.0)) {
    throw std::invalid_argument("target_sum must be a number above 0");
  }
  for (const double weight : steps_.feature_weights) {
    if (!std::isfinite(weight)) throw std::invalid_argument("feature_weights must be finite numbers");
  }
  require_size("feature_weights", steps_.feature_weights.size(), features);
  require_size("feature_mask", steps_.feature_mask.size(), features);
  if (steps_.feature_mask.empty()) return;
  kept_ = 0;
  for (const bool stays : steps_.feature_mask) places_.push_back(stays ? kept_++ : -1);
  if (kept_ == 0) throw std::invalid_argument("feature_mask keeps no feature");
}

template <typename T>
void Preparation<T>::require_width(Index columns) const {
  if (columns == features_) return;
  throw std::invalid_argument("the rows have " + std::to_string(columns) +
                              " features, but the preparation is for " + std::to_string(features_));
}

template <typename T>
double Preparation<T>::factor(double sum, Index row) const {
  if (sum >= 0.0) return sum > 0.0 ? *steps_.target_sum / sum : 0.0;
  std::ostringstream text;
  text << "the sum is " << sum << "; target_sum needs rows of counts";
  throw DataError(row, text.str());
}

template <typename T>
T Preparation<T>::prepared(T x, Index row, Index column, double factor) const {
  if (steps_.target_sum) x = static_cast<T>(static_cast<double>(x) * factor);
  if (steps_.log1p) {
    if (!(x > T{-1})) {
      check_value(x, row, first_column_ + column, 1.0);
      std::ostringstream text;
      text << x << " in column " << first_column_ + column << "; log1p needs numbers above -1";
      throw DataError(row, text.str());
    }
    x = std::log1p(x);
  }
  if (!steps_.feature_weights.empty()) {
    x = static_cast<T>(static_cast<double>(x) * steps_.feature_weights[static_cast<std::size_t>(column)]);
  }
  return x;
}

template <typename T>
void Preparation<T>::apply_row(const Rows<T>& rows, Index i, std::span<T> to) const {
  require_width(rows.cols());
  double scale = 1.0;
  if (steps_.target_sum) {
    double sum = 0.0;
    for (Index j = 0; j < features_; ++j) {
      check_value(rows(i, j), i, first_column_ + j, 1.0);
      sum += static_cast<double>(rows(i, j));
    }
    scale = factor(sum, i);
  }
  for (Index j = 0; j < features_; ++j) {
    const Index place = places_.empty() ? j : places_[static_cast<std::size_t>(j)];
    if (place >= 0) to[static_cast<std::size_t>(place)] = prepared(rows(i, j), i, j, scale);
  }
}

template <typename T>
void Preparation<T>::apply_row(const SparseRows<T>& rows, Index i, OwnedSparseRows<T>& to) const {
  require_width(rows.cols());
  check_row_columns(rows, i, features_);
  double scale = 1.0;
  if (steps_.target_sum) {
    double sum = 0.0;
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
      check_value(rows.value(e), i, first_column_ + rows.column(e), 1.0);
      sum += static_cast<double>(rows.value(e));
    }
    scale = factor(sum, i);
  }
  try {
    take_entries(rows, i, [&](Index j, T value) {
      const Index place = places_.empty() ? j : places_[static_cast<std::size_t>(j)];
      if (place >= 0) to.add(place, prepared(value, i, j, scale));
    });
  } catch (...) {
    to.drop_open_row();
    throw;
  }
  to.end_row();
}

template <typename T>
OwnedRows<T> Preparation<T>::apply(const Rows<T>& rows) const {
  OwnedRows<T> result(rows.rows(), kept_);
  for (Index i = 0; i < rows.rows(); ++i) apply_row(rows, i, result.row(i));
  return result;
}

template <typename T>
OwnedSparseRows<T> Preparation<T>::apply(const SparseRows<T>& rows) const {
  OwnedSparseRows<T> result(kept_);
  for (Index i = 0; i < rows.rows(); ++i) apply_row(rows, i, result);
  return result;
}

template class Preparation<float>;
template class Preparation<double>;

}  // namespace roipca
