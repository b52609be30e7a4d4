#include "intake/row_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "roipca/errors.hpp"
#include "simd/table.hpp"

namespace roipca {
namespace {

// Squares of differences of such numbers stay finite in double, and so do sums of 1e5 of them: the
// scatter.
constexpr double kLargest = 1e151;

// Squares of weights, and sums of them, stay in range.
constexpr double kLeastWeight = 1e-100;
constexpr double kMostWeight = 1e100;

template <typename T>
std::string describe(T x, Index column, double weight) {
  std::ostringstream text;
  if (std::isnan(x)) {
    text << "NaN";
  } else if (std::isinf(x)) {
    text << (x < T{0} ? "-" : "") << "infinity (inf)";
  } else {
    text << x << " (too large: magnitudes up to " << largest_number<T>(weight) << " can be used";
    if (weight > 1.0) text << " with a weight of " << weight;
    text << ")";
  }
  text << " in column " << column;
  return text.str();
}

void check_weights(const Weights& weights, Index rows) {
  if (weights.empty()) return;
  if (weights.size() != rows) {
    throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights for " +
                                std::to_string(rows) + " rows");
  }
  for (Index i = 0; i < rows; ++i) {
    if (weights[i] == 0.0 || (weights[i] >= kLeastWeight && weights[i] <= kMostWeight)) continue;
    std::ostringstream text;
    text << "weight " << weights[i] << " (weights must be 0, or from " << kLeastWeight << " to "
         << kMostWeight << ")";
    throw DataError(i, text.str());
  }
}

}  // namespace

// The scatter consists of squares times weights, so heavy rows must be smaller. Light rows have the limit of
// weight 1.
template <typename T>
T largest_number(double weight) {
  const double largest = weight > 1.0 ? kLargest / std::sqrt(weight) : kLargest;
  return static_cast<T>(std::min(largest, double{std::numeric_limits<T>::max()}));
}

void check_shape(Index rows, Index columns, const Weights& weights, Index features) {
  if (rows == 0) throw std::invalid_argument("no rows: at least one sample is needed");
  if (columns == 0) throw std::invalid_argument("the rows have no features");
  if (features != 0 && columns != features) {
    throw std::invalid_argument("the rows have " + std::to_string(columns) + " features, but the model has " +
                                std::to_string(features) + " features");
  }
  check_weights(weights, rows);
}

template <typename T>
void check_value(T x, Index row, Index column, double weight) {
  if (!(std::abs(x) <= largest_number<T>(weight))) throw DataError(row, describe(x, column, weight));
}

template <typename T>
void check_values(const Rows<T>& rows, const Weights& weights, Index from, Index to, bool gaps) {
  const auto& kernel = simd::table<T>();
  for (Index i = from; i < to; ++i) {
    const T* row = rows.data() + i * rows.stride();
    const double weight = weights.empty() ? 1.0 : weights[i];
    const T largest = largest_number<T>(weight);
    if (!kernel.any_beyond(row, rows.cols(), largest)) continue;
    for (Index j = 0; j < rows.cols(); ++j) {
      if (std::abs(row[j]) <= largest || (gaps && std::isnan(row[j]))) continue;
      throw DataError(i, describe(row[j], j, weight));
    }
  }
}

template float largest_number<float>(double);
template double largest_number<double>(double);
template void check_value(float, Index, Index, double);
template void check_value(double, Index, Index, double);
template void check_values<float>(const Rows<float>&, const Weights&, Index, Index, bool);
template void check_values<double>(const Rows<double>&, const Weights&, Index, Index, bool);

}  // namespace roipca
