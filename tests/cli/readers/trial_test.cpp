#include "readers/trial.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace roipca::cli {
namespace {

TEST(Trial, WorkThatEndsTheProcessCrashes) {
  EXPECT_TRUE(crashes([] { std::abort(); }));
  EXPECT_TRUE(crashes([] { std::raise(SIGSEGV); }));
}

TEST(Trial, WorkThatReturnsOrThrowsDoesNot) {
  EXPECT_FALSE(crashes([] {}));
  EXPECT_FALSE(crashes([] { throw std::runtime_error("no crash"); }));
}

TEST(Trial, ItsEffectsAreNotVisible) {
  int number = 1;
  EXPECT_FALSE(crashes([&] { number = 2; }));
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace roipca::cli
