#include "readers/csv.hpp"

#include <gtest/gtest.h>

#include "cli/reading.hpp"

namespace roipca::cli {
namespace {

using Names = std::vector<std::string>;

struct Table {
  RowMatrix<double> rows;
  Names names;
  std::vector<BadRow> bad;
};

Table read_csv(const std::string& text, const CsvOptions& options = {}) {
  const auto reader = open_csv<double>(pipe_of(text), options);
  Table table;
  table.names = reader->names();
  table.rows = all_rows(*reader, &table.bad);
  return table;
}

RowMatrix<double> rows_of(const std::string& text, const CsvOptions& options = {}) {
  const Table table = read_csv(text, options);
  for (const BadRow& bad : table.bad) ADD_FAILURE() << "line " << bad.place << ": " << bad.reason;
  return table.rows;
}

std::string first_reason(const std::string& text, const CsvOptions& options = {}) {
  const Table table = read_csv(text, options);
  if (table.bad.empty()) return {};
  return std::to_string(table.bad.front().place) + ": " + table.bad.front().reason;
}

const RowMatrix<double> kTable = (RowMatrix<double>(2, 2) << 1, 2, 3, 4.5).finished();

TEST(Csv, TheDelimiterIsFound) {
  for (const char* text : {"1,2\n3,4.5\n", "1\t2\n3\t4.5\n", "1;2\n3;4.5\n", "1|2\n3|4.5\n", "1 2\n3 4.5\n",
                           "  1   2 \n 3\t4.5\n"}) {
    EXPECT_EQ(rows_of(text), kTable) << text;
  }
}

TEST(Csv, BlanksLineEndsAndByteOrderMarksDoNotMatter) {
  const char* const marked =
      "\xEF\xBB\xBF"
      "1,2\n3,4.5\n";
  for (const char* text : {"1,2\r\n3,4.5\r\n", "1,2\n3,4.5", marked, "\n1,2\n\n  \n3,4.5\n\n",
                           " 1 , 2 \n +3 ,\t4.5\n", "# made by a \"program\n1,2\n#\"\n3,4.5\n"}) {
    EXPECT_EQ(rows_of(text), kTable) << text;
  }
}

TEST(Csv, NumbersAreReadToTheLastBit) {
  const auto rows = rows_of("0.1,1e-5\n-2.2250738585072014e-308,1.7976931348623157e308\n1e-400,-.5\n");
  EXPECT_EQ(rows, (RowMatrix<double>(3, 2) << 0.1, 1e-5, -2.2250738585072014e-308, 1.7976931348623157e308,
                   0.0, -0.5)
                      .finished());
}

// The hint at a column of which the first row is no number.
std::string remedy(const std::string& column) {
  return " (if the column is a time or a name, use --id " + column + " or --exclude " + column + ")";
}

TEST(Csv, ALineWithTextIsAHeader) {
  EXPECT_EQ(read_csv("a,b\n1,2\n").names, (Names{"a", "b"}));
  EXPECT_EQ(read_csv("1,2\n3,4\n").names, Names{});
  EXPECT_EQ(read_csv("1,2\n3,4\n", {.header = true}).names, (Names{"1", "2"}));
  EXPECT_EQ(first_reason("a,b\n1,2\n", {.header = false}),
            "1: column 1: \"a\" is not a number" + remedy("1"));
}

TEST(Csv, NamesThatCountColumnsAreAHeaderBesideText) {
  for (const char* text : {"label,0,1\n5,6,7\n", "label,1,2\n5,6,7\n", "Na,NA,x\n5,6,7\n", ",0,x\n5,6,7\n"}) {
    EXPECT_EQ(read_csv(text).names.size(), 3U) << text;
  }
}

TEST(Csv, AFirstRowOfNumbersWithAMissingOrWrongOneIsData) {
  for (const char* text :
       {"1,NA,3\n4,5,6\n", "1.5,oops,3\n4,5,6\n", "NA,NA,NA\n4,5,6\n", "nan,x,1\n4,5,6\n"}) {
    const Table table = read_csv(text);
    EXPECT_EQ(table.names, Names{}) << text;
    EXPECT_EQ(table.rows, (RowMatrix<double>(1, 3) << 4, 5, 6).finished()) << text;
  }
}

TEST(Csv, AQuoteInsideAFieldIsACharacter) {
  const auto expected = (RowMatrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished();
  for (const char* text : {"5\" pipe,1,2\nb,3,4\nc,5,6\n", "a,1,2\n6'2\",3,4\n5\"6\",5,6\n",
                           "a,1,2\nb \"c,3,4\nd\" e,5,6\n", "x\"\t1\t2\ny\t3\t4\nz\"\t5\t6\n",
                           "\"a\" \"b,1,2\n\"c\"d\",3,4\ne,5,6\n", "a\" 1 2\nb\" 3 4\n\"c d\" 5 6\n"}) {
    EXPECT_EQ(rows_of(text, {.header = false, .choice = {.columns = "2-"}}), expected) << text;
  }
}

TEST(Csv, AQuoteAfterBlanksOpensAField) {
  EXPECT_EQ(rows_of("1, \"2\"\n3,\t\"4.5\"\n"), kTable);
  EXPECT_EQ(first_reason("a,b\n1, \"2\n3\"\n"), "2: column 2 (b): \"2\n3\" is not a number" + remedy("b"));
}

TEST(Csv, MoreColumnsThanAllowedAreRefused) {
  EXPECT_EQ(refusal_of([] { read_csv("1,2,3\n", {.max_columns = 2}); }),
            "line 1: more columns than --max-columns 2");
  EXPECT_EQ(rows_of("1,2\n3,4.5\n", {.max_columns = 2}), kTable);
}

TEST(Csv, QuotesHoldDelimitersQuotesAndLineEnds) {
  const Table table = read_csv("\"a,1\",\"say \"\"b\"\"\",\"c\nd\"\n\"1\",2,\"3\"\n4,5,6\n");
  EXPECT_EQ(table.names, (Names{"a,1", "say \"b\"", "c\nd"}));
  EXPECT_EQ(table.rows, (RowMatrix<double>(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(first_reason("a,b\n\"x\ny\",1\n1,2\n1,oops\n"),
            "2: column 1 (a): \"x\ny\" is not a number" + remedy("a"));
}

TEST(Csv, ColumnsAreChosenByNameAndNumber) {
  const std::string text = "id,x,y,z\nanna,1,2,3\nb\"o\"b,4,5,6\n";
  const auto expected = (RowMatrix<double>(2, 2) << 1, 3, 4, 6).finished();
  EXPECT_EQ(rows_of(text, {.choice = {.columns = "x,z"}}), expected);
  EXPECT_EQ(rows_of(text, {.choice = {.columns = "4,2"}}), expected);
  EXPECT_EQ(read_csv(text, {.choice = {.columns = "x,z"}}).names, (Names{"x", "z"}));
  EXPECT_EQ(rows_of(text, {.choice = {.columns = "2-"}}).cols(), 3);
  EXPECT_EQ(rows_of(text, {.choice = {.columns = "2-3"}}).cols(), 2);
  EXPECT_EQ(rows_of("\"a,b\",c\n1,2\n", {.choice = {.columns = "\"a,b\""}})(0, 0), 1.0);
}

TEST(Csv, MissingColumnsAreNamed) {
  const auto reason = [](const char* columns) {
    return refusal_of([&] { read_csv("x,y,y\n1,2,3\n", {.choice = {.columns = columns}}); });
  };
  EXPECT_EQ(reason("w"), "there is no column \"w\"");
  EXPECT_EQ(reason("4"), "there is no column 4: there are 3");
  EXPECT_EQ(reason("y"), "line 1: there are two columns \"y\": choose by number");
  for (const char* columns : {"0", "3-2", "-", "1-x"}) EXPECT_NE(reason(columns), "") << columns;
}

TEST(Csv, BadRowsNameLineAndReason) {
  EXPECT_EQ(first_reason("a,b\n1,2\n\n3\n"), "4: 1 fields where the first line has 2");
  EXPECT_EQ(first_reason("1,2\n3,4,5\n"), "2: 3 fields where the first line has 2");
  EXPECT_EQ(first_reason("a,b\n1,\n"), "2: column 2 (b) is empty (to fill gaps, fit with --missing impute)");
  EXPECT_EQ(first_reason("a,b\n1,two\n"), "2: column 2 (b): \"two\" is not a number" + remedy("b"));
  EXPECT_EQ(first_reason("a,b\n1,2\n1,two\n"), "3: column 2 (b): \"two\" is not a number");
  EXPECT_EQ(first_reason("1,2\n3,4x\n"), "2: column 2: \"4x\" is not a number");
}

TEST(Csv, GoodRowsAroundABadOneAreRead) {
  const Table table = read_csv("1,2\nx,y\n3\n3,4.5\n");
  EXPECT_EQ(table.rows, kTable);
  EXPECT_EQ(table.bad.size(), 2U);
}

TEST(Csv, FilesWithoutRowsAreRefused) {
  for (const char* text : {"", "\n\n", "# only this\n", "a,b\n"}) {
    EXPECT_NE(refusal_of([&] { read_csv(text); }).find("no rows"), std::string::npos) << text;
  }
}

TEST(Csv, AQuoteThatNeverEndsIsRefused) {
  EXPECT_EQ(refusal_of([] { read_csv("1,2\n\"3,4\n5,6\n"); }), "line 2: a quoted field never ends");
}

TEST(Csv, LinesLongerThanTheBufferAreRead) {
  constexpr int kColumns = 200000;
  std::string line = "1";
  for (int i = 1; i < kColumns; ++i) line += ",2";
  const auto reader = open_csv<float>(stream_of(line + "\n" + line + "\n"), {});
  const auto rows = all_rows(*reader);
  EXPECT_EQ(rows.rows(), 2);
  EXPECT_EQ(rows.sum(), 2.0F * (1.0F + 2.0F * (kColumns - 1)));
}

}  // namespace
}  // namespace roipca::cli
