#include "roipca/options.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>

#include "support/models.hpp"

namespace roipca {
namespace {

using namespace support;

TEST(MethodNames, SurviveARoundTrip) {
  for (const auto& [method, update] : kAllMethods) EXPECT_EQ(method_from_name(name(method)), method);
}

TEST(MethodNames, AnUnknownOneIsRefusedWithTheKnownOnes) {
  try {
    method_from_name("pca");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    for (const auto& [method, update] : kAllMethods)
      EXPECT_NE(message.find(name(method)), std::string::npos) << message;
    EXPECT_NE(message.find("\"pca\""), std::string::npos) << message;
  }
}

TEST(MethodNames, AValueThatIsNoMethodIsRefused) {
  EXPECT_THROW(name(static_cast<Method>(99)), std::invalid_argument);
}

struct Mistake {
  const char* name;
  std::function<void(Options&)> make;
  const char* option;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class WrongOptions : public ::testing::TestWithParam<Mistake> {};

TEST_P(WrongOptions, AreRefusedByName) {
  Options options;
  GetParam().make(options);
  try {
    check(options);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).rfind(GetParam().option, 0), 0U) << error.what();
  }
}

const Mistake kMistakes[] = {
    {"NegativeComponents", [](auto& o) { o.n_components = -1; }, "n_components"},
    {"NoMethod", [](auto& o) { o.method = static_cast<Method>(99); }, "method"},
    {"NegativeOversampling", [](auto& o) { o.oversampling = -1; }, "oversampling"},
    {"NoForgetting", [](auto& o) { o.forgetting = 0.0; }, "forgetting"},
    {"NegativeForgetting", [](auto& o) { o.forgetting = -0.5; }, "forgetting"},
    {"ForgettingAboveOne", [](auto& o) { o.forgetting = 1.5; }, "forgetting"},
    {"NanForgetting", [](auto& o) { o.forgetting = kNan; }, "forgetting"},
    {"NegativeAmnesia", [](auto& o) { o.amnesia = -1.0; }, "amnesia"},
    {"InfiniteAmnesia", [](auto& o) { o.amnesia = kInf; }, "amnesia"},
    {"NanAmnesia", [](auto& o) { o.amnesia = kNan; }, "amnesia"},
    {"NegativeMu", [](auto& o) { o.mu = Mu::fixed(-1.0); }, "mu"},
    {"NanMu", [](auto& o) { o.mu = Mu::fixed(kNan); }, "mu"},
    {"InfiniteMu", [](auto& o) { o.mu = Mu::fixed(kInf); }, "mu"},
    {"NoRate", [](auto& o) { o.learning_rate = LearningRate::fixed(0.0); }, "learning_rate"},
    {"NegativeRate", [](auto& o) { o.learning_rate = LearningRate::fixed(-1.0); }, "learning_rate"},
    {"NanRate", [](auto& o) { o.learning_rate = LearningRate::fixed(kNan); }, "learning_rate"},
    {"InfiniteRate", [](auto& o) { o.learning_rate = LearningRate::fixed(kInf); }, "learning_rate"},
};
INSTANTIATE_TEST_SUITE_P(Check, WrongOptions, ::testing::ValuesIn(kMistakes),
                         [](const auto& test) { return test.param.name; });

TEST(WrongOptions, AreNamedWithTheirValueHoweverSmall) {
  Options options;
  options.amnesia = -1e-9;
  try {
    check(options);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("-1e-09"), std::string::npos) << error.what();
  }
}

TEST(DefaultOptions, ArePlausible) { EXPECT_NO_THROW(check(Options())); }

TEST(DefaultOptions, ChooseTheMethodAndForgetNothing) {
  EXPECT_EQ(Options().method, Method::kAuto);
  EXPECT_EQ(Options().forgetting, 1.0);
  EXPECT_TRUE(Options().center);
}

TEST(CapacityOf, WithoutANumberOfComponentsIsAllFeatures) {
  for (const auto& [method, update] : kAllMethods) {
    const auto [reported, held] = capacity(options_for(method, 0), 7);
    EXPECT_EQ(reported, 7) << name(method);
    EXPECT_EQ(held, 7) << name(method);
  }
}

TEST(CapacityOf, MethodsThatGainFromOversamplingHoldTenOrAFifthMore) {
  for (const Method method : {Method::kRoipca, Method::kIpca, Method::kFrequentDirections}) {
    EXPECT_EQ(capacity(options_for(method, 3), 1000).held, 13) << name(method);
    EXPECT_EQ(capacity(options_for(method, 100), 1000).held, 120) << name(method);
  }
}

TEST(CapacityOf, OtherMethodsHoldWhatTheyReport) {
  for (const Method method : {Method::kFroipca, Method::kCcipca, Method::kGha, Method::kOja}) {
    EXPECT_EQ(capacity(options_for(method, 3), 1000).held, 3) << name(method);
  }
}

TEST(CapacityOf, ExactHoldsAllFeatures) { EXPECT_EQ(capacity(options_for(Method::kExact, 3), 50).held, 50); }

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
