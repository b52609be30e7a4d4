// Raises an alarm when a sensor fails, and says which one.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <memory>
#include <roipca/monitor.hpp>
#include <vector>

namespace {

// Four sensors that follow the same load, each with a small wave of its own.
std::vector<double> row_at(int time) {
  std::vector<double> row;
  for (int j = 0; j < 4; ++j) row.push_back(std::sin(0.05 * time) + 0.1 * std::sin((time + 1.0) * (j + 2.0)));
  return row;
}

const char* statistic(const roipca::MonitorReading& reading) { return reading.by_spe ? "SPE" : "T^2"; }

}  // namespace

int main() {
  roipca::OnlinePca<double> pca({.n_components = 1});
  const roipca::MonitorOptions options = {.confidence = 0.99,
                                          .t2_rule = roipca::LimitRule::kF,
                                          .spe_rule = roipca::LimitRule::kBox,
                                          .rows_beyond = 2,      // an alarm begins at two of ...
                                          .rows_considered = 3,  // ... three rows beyond a limit,
                                          .hold = 10,            // and ends after ten rows within the limits
                                          .warm_up = 100,
                                          .learn = roipca::Learn::kNormal};
  roipca::Monitor<double> monitor(pca, options);
  assert(monitor.model() == nullptr && monitor.options().rows_beyond == 2);

  int first_alarm = -1;
  roipca::MonitorReading reading;
  for (int time = 0; time < 500; ++time) {
    std::vector<double> row = row_at(time);
    if (time >= 480) row[2] = 3.0;  // the third sensor is stuck
    reading = monitor.watch(row);
    if (reading.alarm && first_alarm < 0) first_alarm = time;
  }
  assert(first_alarm == 481);
  assert(reading.is_beyond && !reading.is_empty);
  assert(!reading.is_learned && reading.n_learned_late == 0);
  assert(reading.t2 > reading.t2_limit || reading.spe > reading.spe_limit);
  assert(reading.n_features == 3 && reading.features[0] == 2);
  std::printf("alarm: sensor %d has %.2f of %s\n", static_cast<int>(reading.features[0]),
              reading.contributions[0], statistic(reading));

  // The estimator may learn rows that the monitor does not see. The next row is compared with them, too.
  const auto rows = pca.update(row_at(500)).model().rows;
  monitor.reread();
  monitor.watch(row_at(501));
  assert(monitor.model()->rows == rows);

  // With a fixed model, nothing is learned; here with its first component only.
  roipca::Monitor<double> fixed(std::make_shared<const roipca::Model<double>>(pca.model()),
                                {.n_components = 1});
  assert(!fixed.watch(row_at(502)).is_learned);
}
