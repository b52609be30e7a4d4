/// The data that the page of `roipca watch` shows: a summary of a stream in bounded memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "roipca/monitor.hpp"
#include "watch/alarm_log.hpp"

namespace roipca::cli {

/// Takes rows one by one, and returns the changes several times per second. Statistics use all rows; only
/// drawn points are thinned out. Memory does not depend on the number of rows.
///
/// Thread safety: all functions may be called from any thread.
class WatchState {
 public:
  using Json = nlohmann::json;

  WatchState(std::string title, double confidence);

  /// Called with the first row. `feature_names` may be empty. Rows have an id if `id_name` is not empty.
  void begin(std::vector<std::string> feature_names, const std::string& id_name);

  /// Writes alarms to this file, too (see AlarmLog): a line when an alarm begins, and one when it ends. Call
  /// this after begin(). Alarms are counted from the last number in the file.
  void log_alarms(const std::string& path);

  /// Writes a line of the alarm that is still open, if there is one, to the log.
  void end_log();

  /// The position of a row in the input.
  struct Place {
    std::int64_t number = 0;  ///< counted from 1
    std::string_view id;      ///< empty if rows have none; long ids are cut
  };

  /// Adds a row with the monitor's reading of it.
  void add(const Row<double>& row, const Place& place, const MonitorReading& reading,
           const std::shared_ptr<const Model<double>>& model);
  /// Counts a row that the monitor does not score, by its number from 1.
  void pass_over(std::int64_t number);
  void set_status(const std::string& status);
  void set_skipped(std::int64_t skipped);

  /// Returns everything, for a page that was just opened.
  Json snapshot();
  /// Returns what changed since the last call.
  Json changes();
  /// Returns the log of alarms as CSV.
  std::string alarms_csv();
  /// Number of alarms since begin().
  std::int64_t alarms();

 private:
  using Clock = std::chrono::steady_clock;

  // Successive rows that are drawn as one point of the charts, at the most extreme of them.
  struct Bucket {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t beyond = 0;  // rows beyond a limit
    bool alarm = false;
    double t2 = 0.0;         // largest of the rows
    double spe = 0.0;        // largest of the rows
    MonitorReading extreme;  // the reading that is largest in proportion to its limits
    std::int64_t extreme_number = 0;
    std::string extreme_id;
    std::string first_id;
    std::string last_id;
    std::vector<double> extreme_row;
    Json contributions = Json::array();  // [feature, value], the largest first
  };
  struct Alarm {
    std::int64_t number = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::string first_id = {};
    std::string last_id = {};
    bool is_open = true;
    std::string begin;  // time in UTC
    MonitorReading peak;
  };

  void add_point(const Row<double>& row, const Place& place, const MonitorReading& reading,
                 const Model<double>& model);
  void add_alarm(const Place& place, const MonitorReading& reading);
  void close_bucket();
  void add_spectrum(const Model<double>& model);
  std::string name_of(Index feature) const;
  Json facts() const;
  Json to_json(const Bucket& bucket) const;
  Json to_json(const Alarm& alarm) const;
  std::string csv_header() const;
  std::string csv_line(const Alarm& alarm) const;
  void log_last_alarm();

  std::mutex mutex_;
  std::string title_;
  std::vector<std::string> names_;
  std::string id_name_;
  double confidence_;
  std::string status_ = "waiting for rows";

  std::int64_t rows_ = 0;
  std::int64_t learned_ = 0;
  std::int64_t beyond_ = 0;
  std::int64_t skipped_ = 0;
  bool alarm_ = false;
  double t2_limit_ = 0.0;
  double spe_limit_ = 0.0;
  std::vector<std::pair<Clock::time_point, std::int64_t>> recent_;  // times and row numbers, for the rate

  std::shared_ptr<const Model<double>> model_;  // scored the last row
  Bucket open_;
  Clock::time_point opened_;
  std::deque<Bucket> buckets_;
  std::int64_t buckets_closed_ = 0;
  std::int64_t buckets_sent_ = 0;

  std::deque<Json> points_;  // [score, score, number, beyond, id] of some of the last rows
  std::int64_t points_added_ = 0;
  std::int64_t points_sent_ = 0;
  Clock::time_point next_point_;
  Json ellipse_ = Json::array();

  std::vector<Json> spectra_;  // [rows, fractions of the variance]
  std::int64_t spectra_every_ = 1;
  std::int64_t spectra_seen_ = 0;
  bool spectra_changed_ = false;
  Clock::time_point next_spectrum_;
  bool is_drawn_ = false;  // whether the spectrum of the model was added

  std::deque<Alarm> alarms_;
  std::int64_t alarms_begun_ = 0;
  std::int64_t alarms_before_ = 0;  // those that earlier runs have logged
  std::unique_ptr<AlarmLog> log_;   // may be null
  bool alarms_changed_ = false;
};

}  // namespace roipca::cli
