/// A control chart that learns what is usual while it watches.
#pragma once

#include <cstdint>

#include "state/archive.hpp"

namespace roipca {

/// Two cumulative sums (CUSUM, Page 1954), one for each direction, of a series of values in units of their
/// own standard deviation. Level and spread are those of the values so far (self-starting: Hawkins 1987), and
/// values that depend on the one before count less, by the long-run variance of a series with their lag-one
/// correlation.
class ChangeChart {
 public:
  /// Sum at which the values have changed: chosen so that false alarms are rare (docs/changing-streams.md).
  static constexpr double kLimit = 12.0;
  /// Sum that values reach now and then without any change.
  static constexpr double kUsual = 2.0;

  /// Adds the next value, which belongs to rows from position `row` on. It is compared with those before, and
  /// then becomes one of them if `is_usual`.
  void add(double value, std::int64_t row, bool is_usual);
  /// From now on values have another level, the mean of `count` such values, but the same spread.
  void set_level(double level, std::int64_t count);

  /// Whether there were enough values to compare with.
  bool is_ready() const { return count_ >= kFewest; }
  /// The larger of the two sums.
  double sum() const { return up_.sum > down_.sum ? up_.sum : down_.sum; }
  /// Where the larger sum began to grow beyond what is usual.
  std::int64_t began() const { return up_.sum > down_.sum ? up_.began : down_.began; }

  void visit_state(state::Archive& archive) {
    archive(level_, at_level_, squares_, products_, last_, count_, up_.sum, up_.began, down_.sum,
            down_.began);
  }

 private:
  static constexpr std::int64_t kFewest = 12;

  struct Sum {
    double sum = 0.0;
    std::int64_t began = 0;

    void add(double deviation, std::int64_t row);
  };
  double standardized(double deviation) const;

  double level_ = 0.0;         // mean of the values
  std::int64_t at_level_ = 0;  // their number
  double squares_ = 0.0;       // of the deviations of values from the level before them
  double products_ = 0.0;      // of each such deviation and the one before
  double last_ = 0.0;          // the last one
  std::int64_t count_ = 0;     // of them
  Sum up_;
  Sum down_;
};

}  // namespace roipca
