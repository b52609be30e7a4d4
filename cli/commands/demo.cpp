#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "command.hpp"
#include "demo/frames.hpp"
#include "demo/limited_run.hpp"
#include "demo/methods.hpp"
#include "interrupt.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kMemory = 64 * kMegabyte;

struct DemoSettings {
  std::string folder = "roipca-demo";
  int megabytes = 256;
  MethodsSettings methods;
};

// The data file, for as long as the demonstration needs it.
class Frames {
 public:
  Frames(std::string path, int megabytes, std::uint64_t seed) : path_(std::move(path)) {
    constexpr auto kFrame = sizeof(float) * kFrameSide * kFrameSide;
    const auto frames = static_cast<Index>(static_cast<std::size_t>(megabytes) * kMegabyte / kFrame);
    std::printf("Writing %td frames of %td x %td pixels, %d MB, to %s ...\n", frames, kFrameSide, kFrameSide,
                megabytes, path_.c_str());
    std::fflush(stdout);
    write_frames(path_, frames, seed);
  }
  ~Frames() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Shows the command as a user would type it, what it prints, and what it took.
void show(const std::vector<std::string>& arguments) {
  std::printf("\n$ roipca");
  for (const std::string& argument : arguments) std::printf(" %s", argument.c_str());
  std::printf("\n");
  const RunCost cost = run_limited(arguments, kMemory);
  std::printf("[%.2f s, %.0f MB of memory at most]\n", cost.seconds, cost.peak_megabytes);
}

void run_demo(const DemoSettings& settings) {
  watch_for_interrupts();
  std::error_code error;
  fs::create_directories(settings.folder, error);
  if (error) throw FileError(settings.folder + ": cannot make the folder: " + error.message());
  const auto in_folder = [&](const char* name) { return (fs::path(settings.folder) / name).string(); };
  const std::string model = in_folder("frames.safetensors");
  const std::string page = in_folder("frames.html");
  {
    const Frames frames(in_folder("frames.npy"), settings.megabytes, settings.methods.seed);
    std::printf("Each command may use %zu MB of memory:\n\n$ ulimit -d %zu\n", kMemory / kMegabyte,
                kMemory / 1024);
    show({"fit", frames.path(), "-k", "9", "-o", model});
    show({"info", model});
    show({"report", model, frames.path(), "--image",
          std::to_string(kFrameSide) + "x" + std::to_string(kFrameSide), "-o", page});
  }
  std::printf("\nThe variances that were simulated: 100 / n^(3/2), that is 100, 35.4, 19.2, 12.5, 8.9 ...\n");
  std::printf("\nThe methods, on another stream:\n\n");
  compare_methods(settings.methods);
  std::printf("\nThe data file has been removed. The report page: %s\n", fs::absolute(page).c_str());
}

}  // namespace

Command add_demo(CLI::App& program) {
  auto* app =
      program.add_subcommand("demo", "Fit a file larger than the memory allowed, and compare the methods");
  auto settings = std::make_shared<DemoSettings>();
  app->add_option("--features", settings->methods.features, "Numbers in a row, for the comparison")
      ->check(CLI::TypeValidator<int>() & CLI::Range(2, 100000))
      ->capture_default_str();
  app->add_option("-k,--components", settings->methods.components, "Components to find, for the comparison")
      ->check(CLI::TypeValidator<int>() & CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--rows", settings->methods.rows, "Rows in the stream, for the comparison")
      ->check(CLI::TypeValidator<int>() & CLI::Range(2, 10000000))
      ->capture_default_str();
  app->add_option("--seed", settings->methods.seed, "Seed of the random numbers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--folder", settings->folder, "Where model and report are left; made if missing")
      ->capture_default_str();
  app->add_option("--megabytes", settings->megabytes, "Size of the data file, which is removed at the end")
      ->check(CLI::TypeValidator<int>() & CLI::Range(1, 1000000))
      ->capture_default_str();
  app->footer("Example: roipca demo --folder /tmp/demo --megabytes 1000");
  return {app, [settings] {
            if (settings->methods.components > settings->methods.features) {
              throw UsageError("--components is " + std::to_string(settings->methods.components) +
                               ", but --features only " + std::to_string(settings->methods.features));
            }
            run_demo(*settings);
          }};
}

}  // namespace roipca::cli
