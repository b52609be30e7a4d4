#include "monitor/change_chart.hpp"

#include <algorithm>
#include <cmath>

namespace roipca {
namespace {

constexpr double kSlack = 0.5;  // half of the shift that the sums detect fastest
// Limit on a single value: a few large values are a change, one is an outlier.
constexpr double kMost = 4.0;
// Changes smaller than a few times this do not matter, however little the values vary.
constexpr double kLeastDeviation = 0.02;
constexpr double kMostCorrelation = 0.9;

// Returns a number that is as unlikely under a standard normal distribution as t is under Student's with n
// degrees of freedom (Wallace 1959).
double normal_of_student(double t, double n) {
  return std::copysign((8.0 * n + 1.0) / (8.0 * n + 3.0) * std::sqrt(n * std::log1p(t * t / n)), t);
}

}  // namespace

void ChangeChart::Sum::add(double deviation, double slack, std::int64_t row) {
  if (sum <= kUsual) began = row;
  sum = std::max(0.0, sum + deviation - slack);
}

double ChangeChart::standardized(double deviation) const {
  const auto n = static_cast<double>(count_);
  const double correlation = before_ > 0.0 ? std::clamp(products_ / before_, 0.0, kMostCorrelation) : 0.0;
  const double variance = std::max(squares_ / n, kLeastDeviation * kLeastDeviation);
  const double in_the_long_run = variance * (1.0 + correlation) / (1.0 - correlation);
  return std::clamp(normal_of_student(deviation / std::sqrt(in_the_long_run), n), -kMost, kMost);
}

void ChangeChart::add(const Value& value) {
  if (at_level_ > 0) {
    const auto n = static_cast<double>(at_level_);
    // The level itself has a variance: that of a value divided by n.
    const double deviation = (value.value - level_) * std::sqrt(n / (n + 1.0));
    if (is_ready()) {
      const double z = standardized(deviation);
      // A level from few values has this error for all values that are compared with it.
      const double slack = kSlack + 1.0 / std::sqrt(n);
      up_.add(z, slack, value.row);
      down_.add(-z, slack, value.row);
    }
    if (value.is_usual) {
      squares_ += deviation * deviation;
      if (value.is_neighbour) {
        products_ += deviation * last_;
        before_ += last_ * last_;
      }
      ++count_;
    }
    last_ = deviation;
  }
  if (!value.is_usual && at_level_ > 0) return;
  ++at_level_;
  level_ += (value.value - level_) / static_cast<double>(at_level_);
}

void ChangeChart::set_level(double level, std::int64_t count) {
  level_ = level;
  at_level_ = count;
  last_ = 0.0;
}

}  // namespace roipca
