#include "suggestion.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace roipca::cli {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndExchanges) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // the textbook example
  EXPECT_EQ(edit_distance("missing", "mising"), 1U);
  EXPECT_EQ(edit_distance("fit", "fti"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // 2 if a character could be changed twice
}

TEST(Suggestion, IsTheNearestCandidateAndTheFirstOfSeveral) {
  const std::vector<std::string> options = {"--window", "--mean", "--median"};
  EXPECT_EQ(suggestion("--windw", options), "--window");
  EXPECT_EQ(suggestion("--maen", options), "--mean");
  EXPECT_EQ(suggestion("abcd", {"abce", "abcf"}), "abce");
}

TEST(Suggestion, IsEmptyForWordsUnlikeAll) {
  EXPECT_EQ(suggestion("--xyz", {"--mu", "--tau"}), "");
  EXPECT_EQ(suggestion("--", {"--mu"}), "");
  EXPECT_EQ(suggestion("", {"fit"}), "");
  EXPECT_EQ(suggestion("fit", {}), "");
  EXPECT_EQ(suggestion(std::string(1000, 'x'), {std::string(999, 'x')}), "");
}

}  // namespace
}  // namespace roipca::cli
