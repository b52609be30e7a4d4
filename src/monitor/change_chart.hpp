/// A control chart that learns the usual level and spread while it monitors.
#pragma once

#include <cstdint>

#include "state/archive.hpp"

namespace roipca {

/// Two cumulative sums (CUSUM, Page 1954), one for each direction, of a series of values in units of their
/// own standard deviation. Level and spread are those of the values so far (self-starting: Hawkins 1987).
/// Values that depend on the previous one count less, by the long-run variance of a series with the
/// correlation of neighbours.
class ChangeChart {
 public:
  /// Sum at which the values have changed: chosen so that false alarms are rare (docs/changing-streams.md).
  static constexpr double kLimit = 12.0;
  /// Sum that values reach from time to time without any change.
  static constexpr double kUsual = 2.0;

  struct Value {
    double value;
    std::int64_t row;   ///< where a change may have begun, if this value is the first to show it
    bool is_usual;      ///< whether later values are compared with it
    bool is_neighbour;  ///< whether its rows follow those of the previous value
  };
  /// Compares the value with earlier ones, and then learns it if it is usual.
  void add(const Value& value);
  /// From now on, values have another level, the mean of `count` such values, but the same spread.
  void set_level(double level, std::int64_t count);

  /// Returns whether there were enough values to compare with.
  bool is_ready() const { return count_ >= kFewest; }
  /// Returns the larger of the two sums.
  double sum() const { return up_.sum > down_.sum ? up_.sum : down_.sum; }
  /// Returns the position at which the larger sum began to grow beyond the usual.
  std::int64_t began() const { return up_.sum > down_.sum ? up_.began : down_.began; }

  void visit_state(state::Archive& archive) {
    archive(level_, at_level_, squares_, products_, before_, last_, count_, up_.sum, up_.began, down_.sum,
            down_.began);
  }

 private:
  static constexpr std::int64_t kFewest = 12;

  struct Sum {
    double sum = 0.0;
    std::int64_t began = 0;

    void add(double deviation, double slack, std::int64_t row);
  };
  double standardized(double deviation) const;

  double level_ = 0.0;         // mean of the values
  std::int64_t at_level_ = 0;  // number of these values
  double squares_ = 0.0;       // sum of squared deviations of values from the level before them
  double products_ = 0.0;      // sum of products of each such deviation and the previous one
  double before_ = 0.0;        // sum of squares of those previous ones
  double last_ = 0.0;          // the last deviation
  std::int64_t count_ = 0;     // number of deviations
  Sum up_;
  Sum down_;
};

}  // namespace roipca
