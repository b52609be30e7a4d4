// One row at a time.
#include "roipca/monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Monitoring : public ::testing::Test {
 protected:
  const RowMatrix<T> x_ = decaying_rows(3000, 30, 0.8, 1).cast<T>();
  // A row that no model of these rows can explain.
  Vector<T> broken(Index feature) const {
    Vector<T> row = x_.row(0).transpose();
    row[feature] += T{20};
    return row;
  }
  Vector<T> row(Index i) const { return x_.row(i).transpose(); }
};
TYPED_TEST_SUITE(Monitoring, Scalars);

TYPED_TEST(Monitoring, SaysOfARowWhatTheModelSays) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_);
  const auto model = pca.snapshot();
  Monitor<T> monitor(model, {.confidence = 0.95});
  for (Index i = 0; i < 50; ++i) {
    const RowMatrix<T> rows = this->x_.middleRows(i, 1);
    const MonitorReading reading = monitor.watch(this->row(i));
    EXPECT_NEAR(reading.t2, model->t2(rows)[0], 100 * kEpsilon<T> * (1.0 + reading.t2));
    EXPECT_NEAR(reading.spe, model->spe(rows)[0], 100 * kEpsilon<T> * reading.spe);
    EXPECT_EQ(reading.t2_limit, t2_limit(*model, 0.95));
    EXPECT_EQ(reading.spe_limit, spe_limit(*model, 0.95));
    EXPECT_EQ(reading.is_beyond, reading.t2 > reading.t2_limit || reading.spe > reading.spe_limit);
    EXPECT_FALSE(reading.is_learned);
    const RowMatrix<double> parts =
        as_eigen(reading.by_spe ? spe_contributions<T>(*model, rows) : t2_contributions<T>(*model, rows))
            .template cast<double>();
    Index largest = 0;
    parts.row(0).maxCoeff(&largest);
    EXPECT_EQ(reading.features[0], largest);
    EXPECT_NEAR(reading.contributions[0], parts(0, largest), 1000 * kEpsilon<T> * parts(0, largest));
    EXPECT_GE(reading.contributions[0], reading.contributions[1]);
    EXPECT_GE(reading.contributions[1], reading.contributions[2]);
  }
}

TYPED_TEST(Monitoring, NamesTheFeatureThatIsBroken) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_);
  Monitor<T> monitor(pca, {.confidence = 0.999});
  for (const Index feature : {0, 13, 29}) {
    const MonitorReading reading = monitor.watch(this->broken(feature));
    EXPECT_TRUE(reading.alarm);
    EXPECT_EQ(reading.features[0], feature);
  }
}

TYPED_TEST(Monitoring, LearnsTheRowsThatItIsToLearn) {
  using T = TypeParam;
  for (const auto& [learn, learned] :
       {std::pair(Learn::kNone, 0), std::pair(Learn::kNormal, 1), std::pair(Learn::kAll, 2)}) {
    OnlinePca<T> pca(options_for(Method::kRoipca, 4));
    pca.partial_fit(this->x_);
    Monitor<T> monitor(pca, {.confidence = 0.999999, .learn = learn});
    EXPECT_EQ(monitor.watch(this->row(1)).is_learned, learn != Learn::kNone);
    EXPECT_EQ(monitor.watch(this->broken(3)).is_learned, learn == Learn::kAll);
    EXPECT_EQ(pca.rows_seen(), 3000 + learned);
  }
}

TYPED_TEST(Monitoring, LearnsWhatUpdatesWouldLearn) {
  using T = TypeParam;
  OnlinePca<T> watched(options_for(Method::kRoipca, 4));
  Monitor<T> monitor(watched, {.learn = Learn::kAll});
  for (Index i = 0; i < 400; ++i) monitor.watch(this->row(i));
  OnlinePca<T> plain(options_for(Method::kRoipca, 4));
  plain.partial_fit(this->x_.topRows(400).eval());
  EXPECT_EQ(watched.model(), plain.model());
}

TYPED_TEST(Monitoring, RaisesNoAlarmBeforeItIsWarm) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  Monitor<T> monitor(pca, {.warm_up = 200});
  for (Index i = 0; i < 200; ++i) EXPECT_FALSE(monitor.watch(this->broken(i % 30)).alarm);
  EXPECT_EQ(pca.rows_seen(), 200);
}

TYPED_TEST(Monitoring, TakesMOfNRowsForAnAlarmAndHoldsIt) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_);
  Monitor<T> monitor(pca.snapshot(),
                     {.confidence = 0.999999, .rows_beyond = 2, .rows_considered = 3, .hold = 2});
  std::string alarms;
  for (const char kind : std::string("b..b.b.....b..")) {
    alarms += monitor.watch(kind == 'b' ? this->broken(5) : this->row(1)).alarm ? 'A' : '-';
  }
  //                  b..b.b.....b..
  EXPECT_EQ(alarms, "-----AA-------");
}

TYPED_TEST(Monitoring, LearnsARowBeyondALimitWhenNoAlarmBeganWithIt) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_);
  Monitor<T> monitor(pca, {.confidence = 0.999999, .rows_beyond = 3, .rows_considered = 5});
  const MonitorReading reading = monitor.watch(this->broken(13));
  EXPECT_TRUE(reading.is_beyond);
  EXPECT_FALSE(reading.alarm);
  EXPECT_FALSE(reading.is_learned);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(monitor.watch(this->row(i)).n_learned_late, 0);
  EXPECT_EQ(pca.rows_seen(), 3003);
  EXPECT_EQ(monitor.watch(this->row(3)).n_learned_late, 1);
  EXPECT_EQ(pca.rows_seen(), 3005);
}

TYPED_TEST(Monitoring, LearnsNoRowOfAFaultNorRaisesItsLimits) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_.topRows(1000));
  Monitor<T> monitor(pca, {.confidence = 0.9999, .rows_beyond = 3, .rows_considered = 5, .hold = 10});
  double limit = 0.0;
  for (const Index feature : {13, 7}) {
    const std::int64_t before = pca.rows_seen();
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(monitor.watch(this->broken(feature)).alarm);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(monitor.watch(this->broken(feature)).alarm);
    EXPECT_EQ(pca.rows_seen(), before);
    for (Index i = 0; i < 300; ++i) limit = monitor.watch(this->row(1000 + i)).spe_limit;
  }
  EXPECT_LT(limit,
            1.2 * spe_limit(*OnlinePca<T>(options_for(Method::kRoipca, 4)).partial_fit(this->x_).snapshot(),
                            0.9999));
}

// Nothing is left of such rows but rounding, which was beyond a limit of 0.
TYPED_TEST(Monitoring, RaisesNoMoreAlarmsWhereComponentsExplainAllRows) {
  using T = TypeParam;
  const RowMatrix<double> factors = normal_rows(3000, 4, 5);
  const RowMatrix<double> mixing = normal_rows(4, 12, 6);
  const RowMatrix<T> low_rank = ((factors * mixing).array() + 100.0).matrix().template cast<T>();
  const RowMatrix<T> few_features = this->x_.leftCols(10);
  for (const Method method : {Method::kExact, Method::kRoipca}) {
    for (const auto& [rows, components] :
         {std::pair<const RowMatrix<T>&, Index>(low_rank, 4), {few_features, 10}}) {
      OnlinePca<T> pca(options_for(method, components));
      Monitor<T> monitor(pca, {.confidence = 0.99});
      int alarms = 0;
      for (Index i = 0; i < 3000; ++i)
        alarms += monitor.watch(Vector<T>(rows.row(i).transpose())).alarm ? 1 : 0;
      EXPECT_LE(alarms, 60) << name(method) << ", " << components;  // twice the nominal number
    }
  }
}

TYPED_TEST(Monitoring, PassesOverRowsWithoutAnyValue) {
  using T = TypeParam;
  Options options = options_for(Method::kRoipca, 4);
  options.missing = Missing::kImpute;
  OnlinePca<T> pca(options);
  pca.partial_fit(this->x_);
  const Vector<T> nothing = Vector<T>::Constant(30, std::numeric_limits<T>::quiet_NaN());
  Monitor<T> monitor(pca, {.confidence = 0.9999, .rows_beyond = 3, .rows_considered = 5, .hold = 3});
  const auto pass_over = [&](bool alarm) {
    for (int i = 0; i < 10; ++i) {
      const MonitorReading reading = monitor.watch(nothing);
      EXPECT_TRUE(reading.is_empty && std::isnan(reading.t2) && std::isnan(reading.spe));
      EXPECT_FALSE(reading.is_beyond || reading.is_learned);
      EXPECT_EQ(reading.alarm, alarm);
    }
  };
  // Rows of a fault add up to an alarm, and rows without a fault to its end, whatever is between them.
  const Vector<T> broken = this->broken(7);
  for (const bool alarm : {false, false, true}) {
    EXPECT_EQ(monitor.watch(broken).alarm, alarm);
    pass_over(alarm);
  }
  for (const Index i : {0, 1, 2}) {
    EXPECT_EQ(monitor.watch(this->row(i)).alarm, i < 2);
    pass_over(i < 2);
  }
  EXPECT_EQ(pca.model().empty_rows, 60);
}

TYPED_TEST(Monitoring, PassesOverRowsWithoutAnyValueBeforeTheFirstOther) {
  using T = TypeParam;
  const Vector<T> nothing = Vector<T>::Constant(30, std::numeric_limits<T>::quiet_NaN());
  for (const auto& [learn, counted] :
       {std::pair(Learn::kNone, 0), std::pair(Learn::kNormal, 3), std::pair(Learn::kAll, 3)}) {
    Options options = options_for(Method::kRoipca, 4);
    options.missing = Missing::kImpute;
    OnlinePca<T> pca(options);
    Monitor<T> monitor(pca, {.learn = learn});
    for (int i = 0; i < 3; ++i) {
      const MonitorReading reading = monitor.watch(nothing);
      EXPECT_TRUE(reading.is_empty && std::isnan(reading.t2) && std::isnan(reading.spe));
      EXPECT_FALSE(reading.is_beyond || reading.is_learned || reading.alarm);
      EXPECT_EQ(reading.spe_limit, kInf);
    }
    EXPECT_TRUE(monitor.watch(this->row(0)).is_learned);
    EXPECT_EQ(pca.rows_seen(), 1);
    EXPECT_EQ(pca.model().empty_rows, counted);
  }
}

TYPED_TEST(Monitoring, ForgetsRowsThatWaitWhenTheEstimatorIsFittedToOthers) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_.topRows(1000));
  Monitor<T> monitor(pca, {.confidence = 0.9999, .rows_beyond = 3, .rows_considered = 5});
  monitor.watch(this->broken(7));
  const RowMatrix<T> narrow = this->x_.leftCols(20);
  pca.fit(narrow);
  monitor.reread();
  for (Index i = 0; i < 10; ++i) monitor.watch(Vector<T>(narrow.row(i).transpose()));
  EXPECT_GE(pca.rows_seen(), 3009);
}

TYPED_TEST(Monitoring, RefusesBadRowsAndChangesNothing) {
  using T = TypeParam;
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(this->x_);
  Monitor<T> monitor(pca);
  Vector<T> row = this->row(0);
  row[3] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THROW(monitor.watch(row), DataError);
  EXPECT_THROW(monitor.watch(this->row(0).head(29).eval()), std::invalid_argument);
  EXPECT_EQ(pca.rows_seen(), 3000);
  EXPECT_THROW(Monitor<T>(pca, {.rows_beyond = 3, .rows_considered = 2}), std::invalid_argument);
  EXPECT_THROW(Monitor<T>(pca, {.confidence = 1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
