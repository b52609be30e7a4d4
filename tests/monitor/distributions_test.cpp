// Quantiles against those of SciPy 1.15 (stats.chi2.isf, special.betaincinv, stats.norm.isf).
#include "monitor/distributions.hpp"

#include <gtest/gtest.h>

namespace roipca {
namespace {

constexpr double kTolerance = 1e-11;

TEST(Quantiles, OfChiSquaredAreThoseOfScipy) {
  struct Case {
    double tail, freedom, quantile;
  };
  for (const Case& c : {Case{0.3, 0.3, 0.12321604272877795}, Case{0.3, 30, 33.530232926559336},
                        Case{0.05, 1, 3.8414588206941285}, Case{0.05, 1e5, 100736.736177319},
                        Case{0.01, 4.5, 14.193826301013504}, Case{0.001, 1000, 1143.9170926196791},
                        Case{1e-9, 0.3, 32.93311318887192}, Case{1e-9, 1e5, 102705.65960579476}}) {
    EXPECT_NEAR(chi2_quantile(c.tail, c.freedom), c.quantile, kTolerance * c.quantile) << c.freedom;
  }
}

TEST(Quantiles, OfFAreThoseOfScipy) {
  struct Case {
    double tail, f1, f2, quantile;
  };
  for (const Case& c : {Case{0.3, 1, 3, 1.5619453118204383}, Case{0.3, 5, 0.7, 13.000993817745949},
                        Case{0.05, 10, 490, 1.8500249835224172}, Case{0.05, 200, 1e6, 1.1699923998422508},
                        Case{0.001, 3.5, 12.25, 9.986988438562472}, Case{1e-9, 10, 490, 6.659529167633131}}) {
    EXPECT_NEAR(f_quantile(c.tail, c.f1, c.f2), c.quantile, 100 * kTolerance * c.quantile)
        << c.f1 << " " << c.f2;
  }
}

TEST(Quantiles, OfTheNormalDistributionAreThoseOfScipy) {
  EXPECT_NEAR(normal_quantile(0.4), 0.2533471031357997, kTolerance);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.999), -3.090232306167813, kTolerance);
  EXPECT_NEAR(normal_quantile(1e-9), 5.9978070150076865, kTolerance);
}

}  // namespace
}  // namespace roipca
