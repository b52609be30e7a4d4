#include <gtest/gtest.h>

#include <iterator>

#include "cli/reading.hpp"
#include "readers/row_source.hpp"
#include "writers/output_file.hpp"
#include "writers/row_writer.hpp"

namespace roipca::cli {
namespace {

const RowMatrix<double> kRows = (RowMatrix<double>(3, 2) << 0.1, -2e-300, 1.0 / 3.0, 4, 5, 6e100).finished();

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_built_in(const std::string& path) {
  return refusal_of([&] { open_writer<double>(path, {"a"}); }).find("without HDF5") == std::string::npos;
}

TEST(RowWriter, EveryFormatSurvivesARoundTripBitForBit) {
  for (const char* name : {"a.npy", "a.csv", "a.tsv", "a.h5"}) {
    const Folder folder;
    if (!is_built_in(folder.file(name))) continue;
    const auto writer = open_writer<double>(folder.file(name), {"a", "b,\t\"c\""});
    writer->write(kRows.topRows(1));
    writer->write(kRows.bottomRows(2));
    EXPECT_FALSE(std::filesystem::exists(folder.file(name)));
    writer->finish();
    EXPECT_EQ(folder.files(), 1U);
    RowSource<double> source({.paths = {folder.file(name)}});
    EXPECT_EQ(as_eigen(source.next()->rows.slice(0, 3)), kRows) << name;
    if (source.names().empty()) continue;
    EXPECT_EQ(source.names()[1], "b,\t\"c\"");
  }
}

TEST(RowWriter, AnUnfinishedFileLeavesNothing) {
  for (const char* name : {"a.npy", "a.csv", "a.h5"}) {
    const Folder folder;
    if (!is_built_in(folder.file(name))) continue;
    open_writer<double>(folder.file(name), {"a", "b"})->write(kRows);
    EXPECT_EQ(folder.files(), 0U) << name;
  }
}

TEST(OutputFile, AnOldFileIsReplacedWithItsPermissions) {
  const Folder folder;
  const std::string path = folder.file("a", "old");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  write_file(path, "new");
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_read);
}

TEST(OutputFile, ALinkStaysALink) {
  const Folder folder;
  folder.file("real", "old");
  std::filesystem::create_symlink("real", folder.file("link"));
  write_file(folder.file("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(content(folder.file("real")), "new");
}

TEST(OutputFile, AMissingFolderIsNamed) {
  const Folder folder;
  EXPECT_EQ(
      refusal_of([&] { write_file(folder.file("none/a"), "new"); }),
      folder.file("none/a") + ": cannot create a temporary file in its folder: No such file or directory");
}

}  // namespace
}  // namespace roipca::cli
