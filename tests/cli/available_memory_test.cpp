#include "available_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace roipca::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMega = std::uint64_t{1} << 20U;

// Control groups as files in a folder.
class ControlGroups : public ::testing::Test {
 protected:
  ControlGroups() { fs::remove_all(folder_); }
  ~ControlGroups() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text << '\n';
  }
  void write(const std::string& name, std::uint64_t megabytes) const {
    write(name, std::to_string(megabytes * kMega));
  }
  std::uint64_t left() const { return left_by_control_groups(folder_ / "membership", folder_ / "groups"); }

 private:
  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("roipca_control_groups_" + std::to_string(::getpid()));
};

TEST_F(ControlGroups, OfNoMembershipLeaveEverything) {
  EXPECT_EQ(left(), kNoLimit);
  write("membership", "0::/job");
  EXPECT_EQ(left(), kNoLimit);
}

TEST_F(ControlGroups, OfVersion2LeaveTheirLimitLessWhatIsUsed) {
  write("membership", "0::/job");
  write("groups/job/memory.max", 500);
  EXPECT_EQ(left(), 500 * kMega);
  write("groups/job/memory.current", 200);
  EXPECT_EQ(left(), 300 * kMega);
  write("groups/job/memory.current", 600);
  EXPECT_EQ(left(), 0U);
  write("groups/job/memory.max", "max");
  EXPECT_EQ(left(), kNoLimit);
}

TEST_F(ControlGroups, CountNoPagesOfFilesAsUsed) {
  write("membership", "0::/job");
  write("groups/job/memory.max", 500);
  write("groups/job/memory.current", 400);
  write("groups/job/memory.stat", "anon 1\ninactive_file " + std::to_string(100 * kMega) + "\nactive_file " +
                                      std::to_string(50 * kMega) + "\nslab 7");
  EXPECT_EQ(left(), 250 * kMega);
}

TEST_F(ControlGroups, AreLimitedByThoseAroundThem) {
  write("membership", "0::/slice/job");
  write("groups/slice/job/memory.max", "max");
  write("groups/slice/memory.max", 300);
  EXPECT_EQ(left(), 300 * kMega);
  write("groups/slice/job/memory.max", 200);
  EXPECT_EQ(left(), 200 * kMega);
}

TEST_F(ControlGroups, OfAContainerMayBeMountedWithoutTheirPath) {
  write("membership", "0::/docker/0123");
  write("groups/memory.max", 400);
  EXPECT_EQ(left(), 400 * kMega);
}

TEST_F(ControlGroups, OfVersion1LeaveTheirLimitLessWhatIsUsed) {
  write("membership", "9:name=systemd:/\n4:cpu,memory:/box/job\n0::/");
  write("groups/memory/box/job/memory.limit_in_bytes", 500);
  write("groups/memory/box/job/memory.usage_in_bytes", 200);
  write("groups/memory/box/job/memory.stat",
        "inactive_file 5\ntotal_inactive_file " + std::to_string(50 * kMega));
  EXPECT_EQ(left(), 350 * kMega);
  write("groups/memory/memory.limit_in_bytes", "9223372036854771712");  // no limit
  EXPECT_EQ(left(), 350 * kMega);
}

TEST(AvailableMemory, IsAtMostWhatALimitOfTheAddressSpaceLeaves) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers reserve more addresses than any limit";
#endif
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const std::uint64_t limit = 2000 * kMega;
  rlimit now = before;
  now.rlim_cur = limit;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &now), 0);
  const std::uint64_t left = available_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_LT(left, limit);
}

TEST(AvailableMemory, IsSomeOfTheMachine) {
  EXPECT_GT(available_memory(), 0U);
  EXPECT_LE(available_memory(), physical_memory());
}

}  // namespace
}  // namespace roipca::cli
