#include "watch/watch_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numeric>
#include <utility>

namespace roipca::cli {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

constexpr auto kBucketTime = 100ms;
constexpr auto kPointTime = 10ms;
constexpr auto kSpectrumTime = 500ms;
constexpr auto kRateTime = 3s;
constexpr std::size_t kMostBuckets = 1200;
constexpr std::size_t kMostPoints = 400;
constexpr std::size_t kMostSpectra = 240;
constexpr std::size_t kMostAlarms = 1000;
constexpr std::size_t kMostIdBytes = 64;
constexpr std::size_t kContributionsShown = 8;
constexpr Index kVariancesShown = 8;

// JSON has no infinity and no NaN: null stands for them.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

// Returns the largest ratio of a statistic to its limit.
double extent(const MonitorReading& reading) {
  // If nothing varies, the value and the limit are both 0.
  const auto part = [](double value, double limit) { return value > 0.0 ? value / limit : 0.0; };
  return std::max(part(reading.t2, reading.t2_limit), part(reading.spe, reading.spe_limit));
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

WatchState::WatchState(std::string title, double confidence)
    : title_(std::move(title)), confidence_(confidence) {}

void WatchState::begin(std::vector<std::string> feature_names, const std::string& id_name) {
  const std::scoped_lock lock(mutex_);
  names_ = std::move(feature_names);
  id_name_ = id_name;
  status_ = "live";
}

void WatchState::add(const Row<double>& row, const Place& given, const MonitorReading& reading,
                     const std::shared_ptr<const Model<double>>& model) {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  const Place place = {given.number, given.id.substr(0, kMostIdBytes)};
  rows_ = place.number;
  learned_ += (reading.is_learned ? 1 : 0) + reading.n_learned_late;
  beyond_ += reading.is_beyond ? 1 : 0;
  t2_limit_ = reading.t2_limit;
  spe_limit_ = reading.spe_limit;
  add_alarm(place, reading);
  if (!model) return;
  // Rows of the warm-up have no limits, so they are not drawn in one point with rows that have.
  const bool ends_warm_up = std::isinf(open_.extreme.spe_limit) && std::isfinite(reading.spe_limit);
  if (open_.first != 0 && (now - opened_ > kBucketTime || ends_warm_up)) close_bucket();
  if (model != model_) is_drawn_ = false;
  model_ = model;
  if (open_.first == 0) {
    open_ = Bucket();
    open_.first = place.number;
    open_.first_id = place.id;
    opened_ = now;
  }
  open_.last = place.number;
  open_.last_id = place.id;
  open_.t2 = std::max(open_.t2, reading.t2);
  open_.spe = std::max(open_.spe, reading.spe);
  open_.beyond += reading.is_beyond ? 1 : 0;
  open_.alarm = open_.alarm || reading.alarm;
  if (open_.extreme_row.empty() || extent(reading) > extent(open_.extreme)) {
    open_.extreme = reading;
    open_.extreme_number = place.number;
    open_.extreme_id = place.id;
    open_.extreme_row.assign(row.begin(), row.end());
  }
  if (now >= next_point_) {
    next_point_ = now + kPointTime;
    add_point(row, place, reading, *model);
  }
  if (!is_drawn_ && now >= next_spectrum_) {
    next_spectrum_ = now + kSpectrumTime;
    is_drawn_ = true;
    add_spectrum(*model);
  }
}

void WatchState::pass_over(std::int64_t number) {
  const std::scoped_lock lock(mutex_);
  rows_ = number;
}

void WatchState::add_point(const Row<double>& row, const Place& place, const MonitorReading& reading,
                           const Model<double>& model) {
  const OwnedRows<double> scores = model.transform(Rows<double>(row.data(), 1, row.size()));
  points_.push_back({finite_or_null(scores(0, 0)), finite_or_null(scores.cols() > 1 ? scores(0, 1) : 0.0),
                     place.number, reading.is_beyond, place.id});
  if (points_.size() > kMostPoints) points_.pop_front();
  ++points_added_;
}

void WatchState::add_spectrum(const Model<double>& model) {
  const std::vector<double> variance = model.explained_variance();
  const double limit =
      model.n_components > 1 ? t2_limit(reporting(model, 2), confidence_, LimitRule::kF) : 0.0;
  ellipse_ = model.n_components > 1 ? Json{finite_or_null(std::sqrt(limit * variance[0])),
                                           finite_or_null(std::sqrt(limit * variance[1]))}
                                    : Json::array();
  if (spectra_seen_++ % spectra_every_ != 0) return;
  Json shares = Json::array();
  const std::vector<double> ratio = model.explained_variance_ratio();
  for (Index i = 0; i < std::min(kVariancesShown, model.n_components); ++i) {
    shares.push_back(ratio[static_cast<std::size_t>(i)]);
  }
  spectra_.push_back({rows_, shares});
  spectra_changed_ = true;
  if (spectra_.size() < kMostSpectra) return;
  // Keeps every second one; later ones are added half as often.
  std::vector<Json> kept;
  for (std::size_t i = 0; i < spectra_.size(); i += 2) kept.push_back(std::move(spectra_[i]));
  spectra_ = std::move(kept);
  spectra_every_ *= 2;
}

void WatchState::add_alarm(const Place& place, const MonitorReading& reading) {
  const bool begins = reading.alarm && !alarm_;
  const bool ends = !reading.alarm && alarm_;
  alarm_ = reading.alarm;
  if (begins) {
    alarms_.push_back({.number = ++alarms_begun_,
                       .first = place.number,
                       .first_id = std::string(place.id),
                       .begin = time_text(),
                       .peak = reading});
    if (alarms_.size() > kMostAlarms) alarms_.pop_front();
  }
  if (alarm_) {
    alarms_.back().last = place.number;
    alarms_.back().last_id = place.id;
  }
  const bool peaks = alarm_ && extent(reading) > extent(alarms_.back().peak);
  if (peaks) alarms_.back().peak = reading;
  if (ends) alarms_.back().is_open = false;
  alarms_changed_ = alarms_changed_ || begins || peaks || ends;
  if (begins || ends) log_last_alarm();
}

void WatchState::close_bucket() {
  if (open_.first == 0) return;
  const Rows<double> row(open_.extreme_row.data(), 1, static_cast<Index>(open_.extreme_row.size()));
  if (model_) {
    const OwnedRows<double> parts =
        open_.extreme.by_spe ? spe_contributions(*model_, row) : t2_contributions(*model_, row);
    std::vector<Index> order(static_cast<std::size_t>(parts.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto shown = std::min(kContributionsShown, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](Index a, Index b) { return std::abs(parts(0, a)) > std::abs(parts(0, b)); });
    for (std::size_t i = 0; i < shown; ++i)
      open_.contributions.push_back({order[i], finite_or_null(parts(0, order[i]))});
  }
  open_.extreme_row.clear();
  open_.extreme_row.shrink_to_fit();
  buckets_.push_back(std::move(open_));
  if (buckets_.size() > kMostBuckets) buckets_.pop_front();
  ++buckets_closed_;
  open_ = Bucket();
}

void WatchState::set_status(const std::string& status) {
  const std::scoped_lock lock(mutex_);
  status_ = status;
}

void WatchState::set_skipped(std::int64_t skipped) {
  const std::scoped_lock lock(mutex_);
  skipped_ = skipped;
}

std::string WatchState::name_of(Index feature) const {
  const auto i = static_cast<std::size_t>(feature);
  return i < names_.size() ? names_[i] : "feature " + std::to_string(feature + 1);
}

Json WatchState::to_json(const Bucket& bucket) const {
  Json parts = Json::array();
  for (const Json& part : bucket.contributions) parts.push_back({name_of(part[0].get<Index>()), part[1]});
  return {{"first", bucket.first},
          {"last", bucket.last},
          {"beyond", bucket.beyond},
          {"alarm", bucket.alarm},
          {"t2", finite_or_null(bucket.t2)},
          {"spe", finite_or_null(bucket.spe)},
          {"t2Limit", finite_or_null(bucket.extreme.t2_limit)},
          {"speLimit", finite_or_null(bucket.extreme.spe_limit)},
          {"row", bucket.extreme_number},
          {"id", bucket.extreme_id},
          {"ids", id_name_.empty() ? Json::array() : Json{bucket.first_id, bucket.last_id}},
          {"of", bucket.extreme.by_spe ? "SPE" : "T²"},
          {"parts", parts}};
}

Json WatchState::to_json(const Alarm& alarm) const {
  Json features = Json::array();
  for (int i = 0; i < alarm.peak.n_features; ++i) {
    features.push_back(name_of(alarm.peak.features[static_cast<std::size_t>(i)]));
  }
  return {{"number", alarm.number},
          {"first", alarm.first},
          {"last", alarm.last},
          {"ids", id_name_.empty() ? Json::array() : Json{alarm.first_id, alarm.last_id}},
          {"open", alarm.is_open},
          {"begin", alarm.begin},
          {"of", alarm.peak.by_spe ? "SPE" : "T²"},
          {"times", finite_or_null(extent(alarm.peak))},
          {"features", features}};
}

Json WatchState::facts() const {
  double rate = 0.0;
  if (recent_.size() > 1) {
    const std::chrono::duration<double> time = recent_.back().first - recent_.front().first;
    rate = static_cast<double>(recent_.back().second - recent_.front().second) / std::max(time.count(), 1e-3);
  }
  return {{"status", status_},
          {"idName", id_name_},  // known with the first row, when a page may be open already
          {"rows", rows_},
          {"learned", learned_},
          {"beyond", beyond_},
          {"skipped", skipped_},
          {"alarm", alarm_},
          {"changes", model_ ? model_->change.count : 0},
          {"changeRow", model_ ? model_->change.row : 0},
          {"rate", rate},
          {"ellipse", ellipse_},
          {"t2Limit", finite_or_null(t2_limit_)},
          {"speLimit", finite_or_null(spe_limit_)}};
}

Json WatchState::snapshot() {
  const std::scoped_lock lock(mutex_);
  Json all = facts();
  all["title"] = title_;
  all["confidence"] = confidence_;
  all["buckets"] = Json::array();
  for (const Bucket& bucket : buckets_) all["buckets"].push_back(to_json(bucket));
  all["points"] = points_;
  all["spectra"] = spectra_;
  all["alarms"] = Json::array();
  for (const Alarm& alarm : alarms_) all["alarms"].push_back(to_json(alarm));
  return all;
}

Json WatchState::changes() {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  recent_.emplace_back(now, rows_);
  while (recent_.size() > 2 && now - recent_.front().first > kRateTime) recent_.erase(recent_.begin());
  // A point that waits for more rows is shown after a while.
  if (open_.first != 0 && now - opened_ > kBucketTime) close_bucket();
  Json news = facts();
  const auto of_last = [](const auto& all, std::int64_t count, auto convert) {
    Json list = Json::array();
    const auto size = static_cast<std::int64_t>(all.size());
    for (std::int64_t i = std::max<std::int64_t>(size - count, 0); i < size; ++i) {
      list.push_back(convert(all[static_cast<std::size_t>(i)]));
    }
    return list;
  };
  news["buckets"] = of_last(buckets_, buckets_closed_ - std::exchange(buckets_sent_, buckets_closed_),
                            [&](const Bucket& bucket) { return to_json(bucket); });
  news["points"] = of_last(points_, points_added_ - std::exchange(points_sent_, points_added_),
                           [](const Json& point) { return point; });
  if (std::exchange(spectra_changed_, false)) news["spectra"] = spectra_;
  if (std::exchange(alarms_changed_, false)) {
    news["alarms"] = of_last(alarms_, 50, [&](const Alarm& alarm) { return to_json(alarm); });
  }
  return news;
}

std::string WatchState::csv_header() const {
  return std::string("alarm,begin,first_row,last_row,") + (id_name_.empty() ? "" : "first_id,last_id,") +
         "is_open,statistic,times_limit,features\n";
}

std::string WatchState::csv_line(const Alarm& alarm) const {
  std::string features;
  for (int i = 0; i < alarm.peak.n_features; ++i) {
    features += (i == 0 ? "" : "; ") + name_of(alarm.peak.features[static_cast<std::size_t>(i)]);
  }
  const std::string ids =
      id_name_.empty() ? "" : csv_field(alarm.first_id) + ',' + csv_field(alarm.last_id) + ',';
  return std::to_string(alarm.number) + ',' + alarm.begin + ',' + std::to_string(alarm.first) + ',' +
         std::to_string(alarm.last) + ',' + ids + (alarm.is_open ? "1" : "0") + ',' +
         (alarm.peak.by_spe ? "spe" : "t2") + ',' + std::to_string(extent(alarm.peak)) + ',' +
         csv_field(features) + '\n';
}

std::string WatchState::alarms_csv() {
  const std::scoped_lock lock(mutex_);
  std::string text = csv_header();
  for (const Alarm& alarm : alarms_) text += csv_line(alarm);
  return text;
}

std::int64_t WatchState::alarms() {
  const std::scoped_lock lock(mutex_);
  return alarms_begun_ - alarms_before_;
}

void WatchState::log_alarms(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  log_ = std::make_unique<AlarmLog>(path, csv_header());
  alarms_begun_ = alarms_before_ = log_->last_number();
}

void WatchState::end_log() {
  const std::scoped_lock lock(mutex_);
  if (alarm_) log_last_alarm();
}

void WatchState::log_last_alarm() {
  if (log_) log_->write(csv_line(alarms_.back()));
}

}  // namespace roipca::cli
