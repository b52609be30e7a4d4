#include "readers/column_choice.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "cli/reading.hpp"
#include "readers/open_rows.hpp"

namespace roipca::cli {
namespace {

const std::vector<std::string> kNames = {"name", "x_1", "x_2", "y", "a,b", "/z/"};

std::vector<std::size_t> places(const ColumnChoice& choice, const std::vector<std::string>& names = kNames) {
  const ChosenColumns chosen = chosen_columns(choice, names, kNames.size());
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < chosen.wanted.size(); ++i) {
    if (chosen.wanted[i]) result.push_back(i);
  }
  return result;
}

using Places = std::vector<std::size_t>;

TEST(ColumnChoice, TakesNamesNumbersRangesAndExpressions) {
  EXPECT_EQ(places({}), (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places({.columns = "y,x_1"}), (Places{1, 3}));
  EXPECT_EQ(places({.columns = "2-3,5-"}), (Places{1, 2, 4, 5}));
  EXPECT_EQ(places({.columns = "/^x_/"}), (Places{1, 2}));
  EXPECT_EQ(places({.columns = "/_[1,9]/,y"}), (Places{1, 3}));
  EXPECT_EQ(places({.columns = "\"a,b\",1"}), (Places{0, 4}));
  EXPECT_EQ(places({.columns = "/z/"}), (Places{5})) << "a name comes before an expression";
}

TEST(ColumnChoice, LeavesOutWhatIsExcludedAndTheId) {
  EXPECT_EQ(places({.exclude = "/x/,1"}), (Places{3, 4, 5}));
  EXPECT_EQ(places({.columns = "2-4", .exclude = "x_2"}), (Places{1, 3}));
  EXPECT_EQ(places({.columns = "1-3", .id = "name"}), (Places{1, 2}));
  EXPECT_EQ(chosen_columns({.id = "4"}, kNames, kNames.size()).id_name, "y");
  EXPECT_EQ(chosen_columns({.id = "4"}, {}, kNames.size()).id_name, "id");
}

TEST(ColumnChoice, SaysWhichColumnIsNotThere) {
  const auto reason = [](const ColumnChoice& choice, const std::vector<std::string>& names = kNames) {
    return refusal_of([&] { chosen_columns(choice, names, kNames.size()); });
  };
  EXPECT_EQ(reason({.exclude = "w"}), "there is no column \"w\"");
  EXPECT_EQ(reason({.exclude = "7"}), "there is no column 7: there are 6");
  EXPECT_EQ(reason({.id = "2-3"}), "\"2-3\" is more than one column");
  EXPECT_EQ(reason({.columns = "/q/"}), "no column has a name that matches /q/");
  EXPECT_EQ(reason({.columns = "/x/"}, {}),
            "no column has a name that matches /x/: the columns have no names");
  EXPECT_EQ(reason({.exclude = "1-"}), "no columns are left");
  EXPECT_THROW(check(ColumnChoice{.columns = "/(/"}), std::invalid_argument);
}

TEST(ColumnChoice, WorksForSparseRows) {
  const Folder folder;
  const std::string path = folder.file("a.svm", "1 1:10 2:20 4:40\n0 3:30\n");
  InputFormat format;
  format.csv.choice = {.exclude = "2", .id = "1"};
  const auto reader = open_rows<double>(path, format);
  EXPECT_EQ(reader->columns(), 2);
  PlacedRows<double> block;
  block.is_sparse = true;
  block.room = 100;
  block.sparse.clear(2);
  reader->read(block);
  EXPECT_EQ(dense_rows(block), (RowMatrix<double>(2, 2) << 0, 40, 30, 0).finished());
  EXPECT_EQ(block.ids, (std::vector<std::string>{"10", "0"}));
}

}  // namespace
}  // namespace roipca::cli
