#include "readers/row_source.hpp"

#include <gtest/gtest.h>

#include "cli/reading.hpp"
#include "roipca/online_pca.hpp"

namespace roipca::cli {
namespace {

template <typename T>
RowMatrix<T> all_of(RowSource<T>& source) {
  RowMatrix<T> all(0, source.columns());
  while (const PlacedRows<T>* block = source.next()) {
    all.conservativeResize(all.rows() + block->count, Eigen::NoChange);
    all.bottomRows(block->count) = dense_rows<T>(*block);
  }
  return all;
}

constexpr const char* kImpute = " (to fill gaps, fit with --missing impute)";

TEST(RowSource, FilesFollowEachOther) {
  const Folder folder;
  RowSource<double> source(
      {.paths = {folder.file("a.csv", "x,y\n1,2\n"), folder.file("b.csv", "x,y\n3,4\n5,6\n")}});
  EXPECT_EQ(source.names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(all_of(source), (RowMatrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished());
}

TEST(RowSource, FilesThatDoNotFitTogetherAreRefused) {
  const Folder folder;
  const std::string first = folder.file("a.csv", "x,y\n1,2\n");
  const auto reason = [&](const std::string& other) {
    return refusal_of([&] {
      RowSource<double> source({.paths = {first, other}});
      all_of(source);
    });
  };
  const std::string wide = folder.file("b.csv", "1,2,3\n");
  EXPECT_EQ(reason(wide), wide + ": 3 columns, but " + first + " has 2");
  const std::string renamed = folder.file("c.csv", "y,x\n1,2\n");
  EXPECT_EQ(reason(renamed), renamed + ": its column names are not those of " + first +
                                 "; only the order differs: feature 1 is \"y\" instead of \"x\"");
  EXPECT_EQ(reason(folder.file("none")), folder.file("none") + ": cannot open: No such file or directory");
}

TEST(RowSource, ARowThatIsNotFiniteIsNamed) {
  const Folder folder;
  const auto reason = [&](const std::string& number) {
    const std::string path = folder.file("a.csv", "x,y\n1,2\n3," + number + "\n");
    return refusal_of([&] {
             RowSource<double> source({.paths = {path}});
             all_of(source);
           })
        .substr(path.size());
  };
  EXPECT_EQ(reason("nan"), ": line 3: NaN in column 2 (y)" + std::string(kImpute));
  EXPECT_EQ(reason("-inf"), ": line 3: -infinity in column 2 (y)");
  EXPECT_EQ(reason("1e200"),
            ": line 3: 1e+200 (too large: magnitudes up to 1e+151 can be used) in column 2 (y)");
}

TEST(RowSource, BadRowsAreLeftOutAndCounted) {
  const Folder folder;
  std::string text = "1,2\n";
  for (int i = 0; i < 20; ++i) text += i % 2 == 0 ? "nan,1\n" : "3\n";
  RowSource<float> source({.paths = {folder.file("a.csv", text + "3,4\n")}, .on_bad_row = OnBadRow::kSkip});
  EXPECT_EQ(all_of(source), (RowMatrix<float>(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(source.skipped().count, 20);
  ASSERT_EQ(source.skipped().first.size(), 5U);
  EXPECT_EQ(source.skipped().first[0], folder.file("a.csv") + ": line 2: NaN in column 1" + kImpute);
}

TEST(RowSource, RowsThatTheLearnerRefusesAreLeftOutAndCounted) {
  const Folder folder;
  const std::string path = folder.file("a.csv", "1,2\nnan,1\n3,inf\n3,4\n");
  const auto learn = [&](OnBadRow on_bad_row, auto check) {
    RowSource<double> source({.paths = {path}, .on_bad_row = on_bad_row, .learner_checks = true});
    const PlacedRows<double>* block = source.next();
    EXPECT_EQ(block->count, 4);
    source.learn(0, check);
    EXPECT_EQ(dense_rows<double>(*block), (RowMatrix<double>(2, 2) << 1, 2, 3, 4).finished());
    EXPECT_EQ(source.skipped().count, 2);
    EXPECT_EQ(source.skipped().first[1], path + ": line 3: infinity in column 2");
  };
  OnlinePca<double> pca({.n_components = 1});
  const auto add = [&](const auto& rows) { pca.partial_fit(rows); };
  learn(OnBadRow::kSkip, add);
  EXPECT_EQ(pca.rows_seen(), 2);
  EXPECT_EQ(refusal_of([&] { learn(OnBadRow::kError, add); }), path + ": line 2: NaN in column 1" + kImpute);
  EXPECT_EQ(pca.rows_seen(), 2);
}

TEST(RowSource, ALearnerThatRefusesGoodRowsIsHeard) {
  const Folder folder;
  RowSource<double> source({.paths = {folder.file("a.csv", "1,2\n3,4\n")}, .learner_checks = true});
  source.next();
  const auto refuse = [](const auto&) { throw DataError(1, "too large in the units"); };
  EXPECT_THROW(source.learn(0, refuse), DataError);
}

TEST(RowSource, UnknownFormatsAreRefusedByName) {
  const Folder folder;
  const auto reason = [&](const std::string& content) {
    return refusal_of([&] { RowSource<double>({.paths = {folder.file("a", content)}}); });
  };
  EXPECT_NE(reason("PK\x03\x04...").find("zip directory is damaged"), std::string::npos);
  EXPECT_NE(reason("PAR1....").find("Parquet"), std::string::npos);
  EXPECT_NE(reason(std::string("ab\0\1\2", 5)).find("unknown format"), std::string::npos);
  EXPECT_NE(reason("").find("empty"), std::string::npos);
}

}  // namespace
}  // namespace roipca::cli
