/// Monitors a process, one row at a time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "roipca/limits.hpp"
#include "roipca/online_pca.hpp"

namespace roipca {

/// Which of the rows that a Monitor sees are learned.
enum class Learn {
  kNone,
  /// Those that are not in alarm. A row beyond a limit is learned once `rows_considered - 1` more rows have
  /// passed without an alarm: the first rows of a fault, before its alarm, would raise the limits. Such a row
  /// is learned after those that followed it. Rows that still wait when the monitor is destroyed are not
  /// learned.
  kNormal,
  kAll,
};

struct MonitorOptions {
  Index n_components = 0;    ///< number of leading components to use; 0 for those reported
  double confidence = 0.99;  ///< confidence of both limits
  LimitRule t2_rule = LimitRule::kAuto;
  LimitRule spe_rule = LimitRule::kAuto;
  int rows_beyond = 1;         ///< an alarm begins when this number of rows are beyond a limit ...
  int rows_considered = 1;     ///< ... among this number of latest rows, up to 64
  std::int64_t hold = 0;       ///< an alarm ends after this number of successive rows within the limits
  std::int64_t warm_up = 100;  ///< no alarm begins before this number of rows was learned
  Learn learn = Learn::kNormal;
};

/// The result of a Monitor for a row.
struct MonitorReading {
  double t2 = 0.0;  ///< NaN for a row without any value, as SPE
  double spe = 0.0;
  double t2_limit = std::numeric_limits<double>::infinity();   ///< infinite during warm-up
  double spe_limit = std::numeric_limits<double>::infinity();  ///< infinite during warm-up
  bool is_empty = false;   ///< whether the row has no value: it is not scored, and an alarm stays as it was
  bool is_beyond = false;  ///< whether one of the two is above its limit
  bool alarm = false;
  bool is_learned = false;  ///< whether this row was learned at once
  int n_learned_late = 0;   ///< number of earlier rows that waited (Learn::kNormal) and were learned now
  bool by_spe =
      false;  ///< whether `features` contribute to SPE, because it is larger than T^2 relative to its limit
  int n_features = 0;  ///< number of valid entries below: 3, or fewer if there are fewer features
  std::array<Index, 3> features = {};        ///< the features that contribute most, the largest first
  std::array<double, 3> contributions = {};  ///< contributions of these features
};

/// Scores rows one at a time, and raises alarms.
///
///     roipca::OnlinePca<double> pca({.n_components = 10});
///     pca.partial_fit(history);
///     roipca::Monitor<double> monitor(pca, {.rows_beyond = 2, .rows_considered = 3});
///     while (read(row)) if (monitor.watch(row).alarm) ...
///
/// A row is scored before it is learned. Scores and limits come from a reading of the estimator, which is
/// renewed when its rows have grown by a sixteenth (with forgetting: when a sixteenth of the rows that count
/// is new). So a row costs two products of its features with the components, and the update. Apart from these
/// readings, small buffers and rows that wait, nothing is allocated per row.
///
/// Thread safety: as a standard container.
template <typename T>
class Monitor {
 public:
  /// Monitors with a fixed model: nothing is learned.
  explicit Monitor(std::shared_ptr<const Model<T>> model, const MonitorOptions& options = {});
  /// Monitors with an estimator, which must outlive the monitor. The estimator may learn other rows in
  /// between; call `reread` to let the next row see them. Throws std::invalid_argument for options out of
  /// range.
  explicit Monitor(OnlinePca<T>& pca, const MonitorOptions& options = {});

  Monitor(const Monitor&) = delete;
  Monitor(Monitor&& other) noexcept;
  Monitor& operator=(const Monitor&) = delete;
  Monitor& operator=(Monitor&& other) noexcept;
  ~Monitor();

  /// Scores a row and, depending on the options, learns it. Throws DataError for a row with a NaN or an
  /// infinity and std::invalid_argument for one of another width; then nothing has changed. An estimator
  /// without rows learns its first row, whose scores are 0.
  MonitorReading watch(const Row<T>& x);

  /// Lets the next row read the estimator again.
  void reread();

  const MonitorOptions& options() const;
  /// Returns the model by which rows are scored; null before the first row.
  std::shared_ptr<const Model<T>> model() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Monitor<float>;
extern template class Monitor<double>;

}  // namespace roipca
