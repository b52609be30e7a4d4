/// Watching a process, one row at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "roipca/limits.hpp"
#include "roipca/online_pca.hpp"

namespace roipca {

/// Which of the rows that a Monitor sees are learned.
enum class Learn {
  kNone,
  kNormal,  ///< those that are not in alarm
  kAll,
};

struct MonitorOptions {
  Index n_components = 0;    ///< leading components to use; 0 for those that are reported
  double confidence = 0.99;  ///< of both limits
  LimitRule t2_rule = LimitRule::kAuto;
  LimitRule spe_rule = LimitRule::kAuto;
  int rows_beyond = 1;         ///< so many rows beyond a limit raise an alarm ...
  int rows_considered = 1;     ///< ... among so many, up to 64: the row itself and those before it
  std::int64_t hold = 0;       ///< an alarm lasts until so many rows in a row were within the limits
  std::int64_t warm_up = 100;  ///< no alarms before the components have learned so many rows
  Learn learn = Learn::kNormal;
};

/// What a Monitor says about a row.
struct MonitorReading {
  double t2 = 0.0;
  double spe = 0.0;
  double t2_limit = 0.0;   ///< infinite during warm-up
  double spe_limit = 0.0;  ///< infinite during warm-up
  bool is_beyond = false;  ///< whether one of the two is above its limit
  bool alarm = false;
  bool is_learned = false;
  bool by_spe =
      false;  ///< whether `features` are those of SPE, which is then farther beyond its limit than T^2
  int n_features = 0;                        ///< valid entries below: 3, or fewer if there are fewer features
  std::array<Index, 3> features = {};        ///< that contribute most, the largest first
  std::array<double, 3> contributions = {};  ///< theirs
};

/// Scores rows as they come, and raises an alarm.
///
///     roipca::OnlinePca<double> pca({.n_components = 10});
///     pca.partial_fit(history);
///     roipca::Monitor<double> monitor(pca, {.rows_beyond = 2, .rows_considered = 3});
///     while (read(row)) if (monitor.watch(row).alarm) ...
///
/// A row is scored before it is learned. Scores and limits are those of a reading of the estimator that is
/// renewed as its rows grow by a sixteenth (with forgetting, as a sixteenth of those that count is new), so
/// that a row costs two products of its features with the components and the update. Nothing is allocated per
/// row apart from these readings and small buffers.
///
/// Thread safety: as a standard container.
template <typename T>
class Monitor {
 public:
  /// Watches with a model that never changes: nothing is learned.
  explicit Monitor(std::shared_ptr<const Model<T>> model, const MonitorOptions& options = {});
  /// Watches with an estimator, which must live longer. It may learn other rows in between; `reread` then
  /// makes the next row see them. Throws std::invalid_argument for options out of range.
  explicit Monitor(OnlinePca<T>& pca, const MonitorOptions& options = {});

  Monitor(const Monitor&) = delete;
  Monitor(Monitor&& other) noexcept;
  Monitor& operator=(const Monitor&) = delete;
  Monitor& operator=(Monitor&& other) noexcept;
  ~Monitor();

  /// Throws DataError for a row with a NaN or an infinity and std::invalid_argument for one of another width,
  /// and then nothing has changed. An estimator without rows learns its first one, with scores of 0.
  MonitorReading watch(const Row<T>& x);

  /// Reads the estimator again before the next row.
  void reread();

  const MonitorOptions& options() const;
  /// The model that rows are scored by; null before the first row.
  std::shared_ptr<const Model<T>> model() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Monitor<float>;
extern template class Monitor<double>;

}  // namespace roipca
