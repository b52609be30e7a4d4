#include "passes/row_identity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

namespace roipca {
namespace {

// Different rows differ by far more than this, and the same rows in another order by far less.
constexpr double kTolerance = 1e-8;
// Every row, block or model that is added moves the mean by its fraction of the weight times a distance, and
// rounds the result. These distances sum to a few, because the fractions of n equal rows are 1 / n.
constexpr double kRoundingOfMean = 8.0 * std::numeric_limits<double>::epsilon();

std::string text(double number) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.9g", number);
  return buffer.data();
}

[[noreturn]] void refuse(const std::string& what, const std::string& in_model, const std::string& in_pass) {
  throw std::invalid_argument("not the rows of the model: its " + what + " is " + in_model +
                              ", but this pass has " + in_pass);
}

}  // namespace

template <typename T>
void RowIdentity::require_rows_of(const Model<T>& model, double unit) const {
  if (rows_ != model.rows) refuse("number of rows", std::to_string(model.rows), std::to_string(rows_));
  if (std::abs(weight_ - model.weight) > kTolerance * model.weight) {
    refuse("total weight", text(model.weight), text(weight_));
  }
  const Index d = model.features();
  for (Index j = 0; j < d && model.options.center; ++j) {
    const auto place = static_cast<std::size_t>(j);
    const double mean = model.mean[place];
    const double found = deviations_[j] / weight_;
    const double deviation = std::sqrt(model.scatter[place] / model.weight);
    // No row is farther from the mean. Next to a row of weight 1e16, the others are 1e8 deviations away.
    const double distance =
        std::min(std::sqrt(model.scatter[place] / least_weight_), std::sqrt(farthest_) / unit);
    const double tolerance = kTolerance * (deviation + std::abs(mean)) + kRoundingOfMean * distance;
    if (std::abs(found) <= tolerance) continue;
    refuse("mean of feature " + std::to_string(j), text(mean), text(mean + found));
  }
  // The values that the model expected while it learned are not those that it expects now.
  if (model.options.missing == Missing::kImpute) return;
  // The engines for float sum squares of rounded rows.
  const double tolerance = kTolerance + 64.0 * double{std::numeric_limits<T>::epsilon()};
  const double expected = model.scatter_trace * unit * unit;
  if (std::abs(trace_ - expected) > tolerance * expected) {
    refuse("sum of squares about the mean", text(model.scatter_trace), text(trace_ / unit / unit));
  }
}

template void RowIdentity::require_rows_of(const Model<float>&, double) const;
template void RowIdentity::require_rows_of(const Model<double>&, double) const;

}  // namespace roipca
