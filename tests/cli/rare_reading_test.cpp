#include "rare_reading.hpp"

#include <gtest/gtest.h>

namespace roipca::cli {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Time that passes when the test says so.
class RareReadingTest : public testing::Test {
 protected:
  // Asks every 10 ms for `total`; each reading takes `cost`. Returns the time that readings took.
  milliseconds time_spent(milliseconds cost, duration<double> expected, seconds total) {
    milliseconds spent{0};
    RareReading reading(
        [&] {
          now_ += cost;
          spent += cost;
          return "50 %";
        },
        expected, [this] { return now_; });
    const auto end = now_ + total;
    while (now_ < end) {
      last_ = reading.text();
      now_ += milliseconds(10);
    }
    return spent;
  }

  RareReading::Clock::time_point now_{};
  std::string last_;
};

TEST_F(RareReadingTest, TakesAtMostOnePercentOfTheTime) {
  for (const int cost : {1, 50, 300, 2000}) {
    const seconds total(1000);
    const milliseconds spent = time_spent(milliseconds(cost), milliseconds(cost), total);
    EXPECT_LE(spent, milliseconds(total) / 100) << cost;
    EXPECT_GT(spent, milliseconds(0)) << cost;
    EXPECT_EQ(last_, "50 %");
  }
}

TEST_F(RareReadingTest, ExceedsItByOneReadingAtMostIfTheExpectationIsWrong) {
  EXPECT_LE(time_spent(seconds(5), milliseconds(1), seconds(1000)), seconds(10 + 5));
}

TEST_F(RareReadingTest, HasNoTextBeforeTheFirstTime) {
  EXPECT_EQ(time_spent(seconds(1), seconds(1), seconds(99)), milliseconds(0));
  EXPECT_EQ(last_, "");
}

}  // namespace
}  // namespace roipca::cli
