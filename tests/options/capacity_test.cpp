#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "roipca/options.hpp"
#include "support/models.hpp"

namespace roipca {
namespace {

using namespace support;

TEST(CapacityOf, WithoutANumberOfComponentsIsAllFeatures) {
  for (const auto& [method, update] : kAllMethods) {
    const auto [reported, held] = capacity(options_for(method, 0), 7);
    EXPECT_EQ(reported, 7) << name(method);
    EXPECT_EQ(held, 7) << name(method);
  }
}

TEST(CapacityOf, MethodsThatGainFromOversamplingHoldTwiceAsManyUpToAHundredMore) {
  for (const Method method : {Method::kRoipca, Method::kIpca, Method::kFrequentDirections}) {
    EXPECT_EQ(capacity(options_for(method, 3), 1000).held, 13) << name(method);
    EXPECT_EQ(capacity(options_for(method, 100), 1000).held, 200) << name(method);
    EXPECT_EQ(capacity(options_for(method, 300), 9000).held, 400) << name(method);
    EXPECT_EQ(capacity(options_for(method, 1000), 9000).held, 1200) << name(method);
  }
}

TEST(CapacityOf, OtherMethodsHoldWhatTheyReport) {
  for (const Method method : {Method::kFroipca, Method::kCcipca, Method::kGha, Method::kOja}) {
    EXPECT_EQ(capacity(options_for(method, 3), 1000).held, 3) << name(method);
  }
}

TEST(CapacityOf, ExactHoldsAllFeatures) { EXPECT_EQ(capacity(options_for(Method::kExact, 3), 50).held, 50); }

// As fast as blocks, and in 16 times the memory of the components.
TEST(Auto, IsExactForUpTo16TimesAsManyFeaturesAsComponents) {
  const auto method = [](Index features, Index components) {
    return resolve(options_for(Method::kAuto, components), features);
  };
  EXPECT_EQ(method(1024, 64), Method::kExact);
  EXPECT_EQ(method(1536, 100), Method::kExact);
  EXPECT_EQ(method(1700, 100), Method::kRoipca);
  EXPECT_EQ(method(3072, 256), Method::kExact);
  EXPECT_EQ(method(9600, 600), Method::kRoipca);  // blocks are faster
  EXPECT_EQ(method(784, 10), Method::kRoipca);
}

TEST(MorePasses, AreByTheExactMethodForUpTo1024Features) {
  const Options options = options_for(Method::kAuto, 10);
  EXPECT_EQ(resolve(options, 1024), Method::kRoipca);
  EXPECT_EQ(resolve(for_more_passes(options, 1024), 1024), Method::kExact);
  EXPECT_EQ(resolve(for_more_passes(options, 1025), 1025), Method::kRoipca);
}

TEST(MorePasses, HoldAtLeast60MoreComponentsThanTheyReport) {
  const auto held = [](Index components) {
    const Index features = 5000;
    return capacity(for_more_passes(options_for(Method::kAuto, components), features), features).held;
  };
  EXPECT_EQ(held(1), 61);
  EXPECT_EQ(held(20), 80);
  EXPECT_EQ(held(80), 160);
}

TEST(MorePasses, AreExactWhereOnePassIs) {
  const Options options = options_for(Method::kAuto, 256);
  EXPECT_EQ(resolve(options, 3072), Method::kExact);
  EXPECT_EQ(resolve(for_more_passes(options, 3072), 3072), Method::kExact);
}

TEST(MorePasses, ChangeNothingThatIsGiven) {
  Options oversampling = options_for(Method::kAuto, 10);
  oversampling.oversampling = 12;
  EXPECT_EQ(for_more_passes(oversampling, 5000), oversampling);
  for (const auto& [method, update] : kAllMethods) {
    const Options options = options_for(method, 10);
    EXPECT_EQ(for_more_passes(options, 500), options) << name(method);
    EXPECT_EQ(for_more_passes(options, 5000), options) << name(method);
  }
}

// These are not exact anyway.
TEST(MorePasses, ChangeNothingForWindowsAndMissingValues) {
  Options window = options_for(Method::kAuto, 10);
  window.window = 1000;
  EXPECT_EQ(for_more_passes(window, 500), window);
  Options gaps = options_for(Method::kAuto, 10);
  gaps.missing = Missing::kImpute;
  EXPECT_EQ(for_more_passes(gaps, 500), gaps);
}

TEST(MorePasses, RefuseMoreComponentsThanFeatures) {
  EXPECT_THROW(for_more_passes(options_for(Method::kAuto, 8), 5), std::invalid_argument);
}

TEST(CapacityOf, OversamplingIsUsedAsGivenByEveryMethodExceptExact) {
  for (const auto& [method, update] : kAllMethods) {
    if (method == Method::kExact) continue;
    Options options = options_for(method, 3);
    options.oversampling = 4;
    EXPECT_EQ(capacity(options, 1000).held, 7) << name(method);
  }
}

TEST(CapacityOf, NeverMoreThanTheFeaturesAreHeld) {
  Options options = options_for(Method::kRoipca, 3);
  EXPECT_EQ(capacity(options, 5).held, 5);
  options.oversampling = std::numeric_limits<Index>::max();
  EXPECT_EQ(capacity(options, 5).held, 5);
}

TEST(CapacityOf, MoreComponentsThanFeaturesAreRefusedWithBothNumbers) {
  try {
    capacity(options_for(Method::kRoipca, 8), 5);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("8"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("5 features"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace roipca
