#include "roipca/checkpoint.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "roipca/model_file.hpp"
#include "support/files.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;
namespace fs = std::filesystem;

class Checkpoint : public testing::Test {
 protected:
  template <typename T>
  std::string refusal() const {
    return refusal_of([&] { load_checkpoint<T>(path_); });
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  const fs::path path_ = folder_ / "checkpoint";
};

TEST_F(Checkpoint, ResumesWithTheSameBits) {
  const RowMatrix<double> rows = decaying_rows(300, 17, 0.8, 1);
  OnlinePca<double> pca(options_for(Method::kRoipca, 3));
  pca.partial_fit(rows.topRows(133));
  save_checkpoint(pca, path_);
  auto other = load_checkpoint<double>(path_);
  EXPECT_EQ(other.rows_seen(), 133);
  pca.partial_fit(rows.bottomRows(167));
  other.partial_fit(rows.bottomRows(167));
  EXPECT_EQ(first_difference(other.model(), pca.model()), "");
}

TEST_F(Checkpoint, ReplacesAnOlderOneAndLeavesNothingElse) {
  OnlinePca<float> pca(options_for(Method::kFroipca, 3));
  save_checkpoint(pca, path_);
  pca.partial_fit(to_rows(decaying_rows(9, 17, 0.8, 1).cast<float>()));
  save_checkpoint(pca, path_);
  EXPECT_EQ(load_checkpoint<float>(path_).rows_seen(), 9);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Checkpoint, FailuresNameTheFile) {
  EXPECT_EQ(refusal<double>(), path_.string() + ": cannot open: No such file or directory");
  EXPECT_THROW(save_checkpoint(OnlinePca<double>(Options()), folder_ / "none" / "checkpoint"), FileError);
  save_checkpoint(OnlinePca<float>(Options()), path_);
  EXPECT_EQ(refusal<double>(),
            path_.string() + ": state was saved by OnlinePca<float>; cannot restore it as OnlinePca<double>");
  fs::resize_file(path_, 20);
  EXPECT_EQ(refusal<float>(), path_.string() + ": invalid state: incomplete header: need 32 bytes, have 20");
}

TEST_F(Checkpoint, AModelFileIsRefused) {
  save(OnlinePca<double>(options_for(Method::kRoipca, 3)).partial_fit(decaying_rows(9, 17, 0.8, 1)).model(),
       path_);
  EXPECT_NE(refusal<double>().find("does not begin with \"roipca-state\""), std::string::npos);
}

}  // namespace
}  // namespace roipca
