#include "roipca/model_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "io/example_model.hpp"
#include "support/files.hpp"

namespace roipca::io {
namespace {

namespace fs = std::filesystem;
using support::refusal_of;

class ModelFile : public testing::Test {
 protected:
  std::vector<std::string> names_in_folder() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  const support::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Limits the files of this process to `size` bytes, to simulate a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited = {size, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

TEST_F(ModelFile, AModelSurvivesARoundTripBitForBit) {
  save(example_model<float>(), folder_ / "float");
  save(example_model<double>(), folder_ / "double");
  EXPECT_TRUE(same_bits(load<float>(folder_ / "float"), example_model<float>()));
  EXPECT_TRUE(same_bits(load<double>(folder_ / "double"), example_model<double>()));
}

TEST_F(ModelFile, EitherTypeOfModelLoadsByOneCall) {
  save(example_model<float>(), folder_ / "float");
  save(example_model<double>(), folder_ / "double");
  const auto as_float = load_any(folder_ / "float");
  const auto as_double = load_any(folder_ / "double");
  EXPECT_TRUE(same_bits(std::get<Model<float>>(as_float), example_model<float>()));
  EXPECT_TRUE(same_bits(std::get<Model<double>>(as_double), example_model<double>()));
}

TEST_F(ModelFile, AnyFeatureNamesSurviveARoundTrip) {
  auto model = example_model<double>();
  model.feature_names = {"", "a \"quoted\" name", "line\nbreak", "Länge"};
  save(model, folder_ / "model");
  EXPECT_TRUE(same_bits(load<double>(folder_ / "model"), model));
}

TEST_F(ModelFile, FeatureNamesThatNoFileCanHoldAreRefused) {
  auto model = example_model<double>();
  model.feature_names = {"a", "b"};
  EXPECT_THROW(save(model, folder_ / "model"), std::invalid_argument);
  model.feature_names = {"a", "b", "c", "\xFF"};
  EXPECT_THROW(save(model, folder_ / "model"), FileError);
  model.feature_names = {"a", "b", "c", std::string(1 << 20, 'd')};
  EXPECT_THROW(save(model, folder_ / "model"), FileError);
  EXPECT_EQ(names_in_folder(), std::vector<std::string>{});
}

TEST_F(ModelFile, ParametersSurviveARoundTripOrAreRefused) {
  auto model = example_model<double>();
  model.parameters = "{\"n_components\": 0.9, \"note\": \"L\u00e4nge\\n\"}";
  save(model, folder_ / "model");
  EXPECT_TRUE(same_bits(load<double>(folder_ / "model"), model));
  for (const std::string& unfit : {std::string("\xFF"), std::string(1 << 20, 'd')}) {
    model.parameters = unfit;
    EXPECT_THROW(save(model, folder_ / "other"), FileError);
  }
  EXPECT_EQ(names_in_folder(), std::vector<std::string>{"model"});
}

TEST_F(ModelFile, AModelLargerThanOneWriteSurvivesARoundTrip) {
  Model<double> model = example_model<double>();
  model.mean.resize(300000);
  for (std::size_t i = 0; i < model.mean.size(); ++i) model.mean[i] = 1.0 + static_cast<double>(i) / 299999.0;
  model.mean_tail = model.scatter = model.mean;
  model.basis = OwnedRows<double>(3, 300000);
  for (Index i = 0; i < 3; ++i) model.basis(i, i) = 1.0;
  save(model, folder_ / "model");
  EXPECT_TRUE(same_bits(load<double>(folder_ / "model"), model));
}

TEST_F(ModelFile, BytesInMemoryAreThoseOfTheFile) {
  const auto model = example_model<double>();
  save(model, folder_ / "model");
  const std::vector<std::byte> bytes = to_bytes(model);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
            content(folder_ / "model"));
  EXPECT_TRUE(same_bits(from_bytes<double>(bytes), model));
  EXPECT_NE(refusal_of([&] { from_bytes<double>(std::span(bytes).first(9)); }), "");
}

TEST_F(ModelFile, AnOldFileIsReplacedAndNothingElseIsLeft) {
  write_text(folder_ / "model", "old");
  save(example_model<double>(), folder_ / "model");
  EXPECT_EQ(content(folder_ / "model"), file_bytes(example_model<double>()));
  EXPECT_EQ(names_in_folder(), std::vector<std::string>{"model"});
}

TEST_F(ModelFile, ANameWithoutAFolderIsInTheCurrentOne) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  save(example_model<double>(), "model");
  const bool same = same_bits(load<double>("model"), example_model<double>());
  fs::current_path(before);
  EXPECT_TRUE(same);
}

TEST_F(ModelFile, TheLongestNameTheSystemAllowsCanBeSaved) {
  const fs::path path = folder_ / std::string(255, 'm');
  save(example_model<double>(), path);
  EXPECT_TRUE(same_bits(load<double>(path), example_model<double>()));
}

TEST_F(ModelFile, AFullDiskLeavesTheOldFileAndNoTemporary) {
  write_text(folder_ / "model", "old");
  const rlim_t almost = file_bytes(example_model<double>()).size() - 1;
  for (const rlim_t room : {rlim_t{0}, rlim_t{100}, almost}) {
    const std::string reason = refusal_of([&] {
      const FileSizeLimit limit(room);
      save(example_model<double>(), folder_ / "model");
    });
    EXPECT_EQ(reason, (folder_ / "model").string() + ": cannot write: File too large");
    EXPECT_EQ(content(folder_ / "model"), "old");
    EXPECT_EQ(names_in_folder(), std::vector<std::string>{"model"});
  }
}

TEST_F(ModelFile, AModelThatIsNotValidIsAWrongArgumentAndTouchesNothing) {
  write_text(folder_ / "model", "old");
  auto model = example_model<float>();
  model.mean[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(save(model, folder_ / "model"), std::invalid_argument);
  model = example_model<float>();
  model.basis(0, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(save(model, folder_ / "model"), std::invalid_argument);
  EXPECT_EQ(content(folder_ / "model"), "old");
}

TEST_F(ModelFile, AMissingFolderIsNamedWithTheSystemsReason) {
  const fs::path path = folder_ / "none" / "model";
  EXPECT_EQ(refusal_of([&] { save(example_model<double>(), path); }),
            path.string() + ": cannot open the folder: No such file or directory");
  write_text(folder_ / "file", "");
  EXPECT_NE(
      refusal_of([&] { save(example_model<double>(), folder_ / "file" / "model"); }).find("Not a directory"),
      std::string::npos);
}

TEST_F(ModelFile, AFolderThatMayNotBeWrittenToIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const std::string reason = refusal_of([&] { save(example_model<double>(), folder_ / "model"); });
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_NE(reason.find("Permission denied"), std::string::npos) << reason;
}

TEST_F(ModelFile, AFolderIsNotAModel) {
  const std::string expected = folder_.string() + ": Is a directory";
  EXPECT_EQ(refusal_of([&] { save(example_model<double>(), folder_); }), expected);
  EXPECT_EQ(refusal_of([&] { load<double>(folder_); }), expected);
}

TEST_F(ModelFile, PipesAndDevicesAreNeitherReplacedNorWaitedFor) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string expected = pipe.string() + ": not a regular file";
  EXPECT_EQ(refusal_of([&] { save(example_model<double>(), pipe); }), expected);
  EXPECT_EQ(refusal_of([&] { load<double>(pipe); }), expected);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(ModelFile, AMissingFileIsNamedWithTheSystemsReason) {
  EXPECT_EQ(refusal_of([&] { load<double>(folder_ / "none"); }),
            (folder_ / "none").string() + ": cannot open: No such file or directory");
}

TEST_F(ModelFile, AFileThatMayNotBeReadIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read anything";
  save(example_model<double>(), folder_ / "model");
  fs::permissions(folder_ / "model", fs::perms::none);
  EXPECT_NE(refusal_of([&] { load<double>(folder_ / "model"); }).find("Permission denied"),
            std::string::npos);
}

TEST_F(ModelFile, ADamagedFileIsNamed) {
  write_text(folder_ / "model", file_bytes(example_model<double>()).substr(0, 3));
  EXPECT_EQ(refusal_of([&] { load<double>(folder_ / "model"); }),
            (folder_ / "model").string() + ": byte 0: the length of the header: need 8 bytes, have 3");
}

TEST_F(ModelFile, PermissionsOfTheOldFileAreKept) {
  write_text(folder_ / "model", "old");
  fs::permissions(folder_ / "model", fs::perms::owner_read | fs::perms::owner_write);
  save(example_model<double>(), folder_ / "model");
  EXPECT_EQ(fs::status(folder_ / "model").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ModelFile, ALinkStaysALinkAndItsFileIsReplaced) {
  fs::create_directory(folder_ / "real");
  write_text(folder_ / "real" / "model", "old");
  fs::create_symlink("real/model", folder_ / "link");
  save(example_model<double>(), folder_ / "link");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "real" / "model"), file_bytes(example_model<double>()));
}

TEST_F(ModelFile, ALinkToNothingIsRefused) {
  fs::create_symlink("none", folder_ / "link");
  EXPECT_EQ(refusal_of([&] { save(example_model<double>(), folder_ / "link"); }),
            (folder_ / "link").string() + ": cannot follow the link: No such file or directory");
}

TEST_F(ModelFile, ManyThreadsMaySaveToOneNameWhileOthersRead) {
  const fs::path path = folder_ / "model";
  const auto model = example_model<double>();
  save(model, path);
  const auto work = [&] {
    for (int i = 0; i < 20; ++i) {
      save(model, path);
      EXPECT_TRUE(same_bits(load<double>(path), model));
    }
  };
  std::array<std::thread, 4> threads;
  for (std::thread& thread : threads) thread = std::thread(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(names_in_folder(), std::vector<std::string>{"model"});
}

}  // namespace
}  // namespace roipca::io
