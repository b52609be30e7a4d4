#include "roipca/options.hpp"

#include <gtest/gtest.h>

#include <functional>
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

}  // namespace
}  // namespace roipca
