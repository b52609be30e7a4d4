#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "arguments.hpp"
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
  std::int64_t megabytes = 256;
  std::int64_t features = MethodsSettings().features;
  std::int64_t components = MethodsSettings().components;
  std::int64_t rows = MethodsSettings().rows;
  std::int64_t seed = 1;

  MethodsSettings methods() const {
    return {.features = static_cast<int>(features),
            .components = static_cast<int>(components),
            .rows = static_cast<int>(rows),
            .seed = static_cast<std::uint64_t>(seed)};
  }
};

// The data file, removed at the end of the demonstration.
class Frames {
 public:
  Frames(std::string path, std::int64_t megabytes, std::uint64_t seed) : path_(std::move(path)) {
    constexpr auto kFrame = sizeof(float) * kFrameSide * kFrameSide;
    const auto frames = static_cast<Index>(static_cast<std::size_t>(megabytes) * kMegabyte / kFrame);
    std::printf("Writing %td frames of %td x %td pixels, %lld MB, to %s ...\n", frames, kFrameSide,
                kFrameSide, static_cast<long long>(megabytes), path_.c_str());
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

// Prints the command as a user would type it, runs it, and prints its cost.
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
  if (error) throw FileError(settings.folder + ": cannot create the folder: " + error.message());
  const auto in_folder = [&](const char* name) { return (fs::path(settings.folder) / name).string(); };
  const std::string model = in_folder("frames.safetensors");
  const std::string page = in_folder("frames.html");
  {
    const Frames frames(in_folder("frames.npy"), settings.megabytes, settings.methods().seed);
    std::printf("Each command may use %zu MB of memory:\n\n$ ulimit -d %zu\n", kMemory / kMegabyte,
                kMemory / 1024);
    show({"fit", frames.path(), "-k", "9", "-o", model});
    show({"info", model});
    show({"report", model, frames.path(), "--image",
          std::to_string(kFrameSide) + "x" + std::to_string(kFrameSide), "-o", page});
  }
  std::printf("\nThe variances that were simulated: 100 / n^(3/2), that is 100, 35.4, 19.2, 12.5, 8.9 ...\n");
  std::printf("\nThe methods, on another stream:\n\n");
  compare_methods(settings.methods());
  std::printf("\nThe data file has been removed. The report page: %s\n", fs::absolute(page).c_str());
}

}  // namespace

Command add_demo(CLI::App& program) {
  auto settings = std::make_shared<DemoSettings>();
  Arguments arguments(program, "demo",
                      "Fit a simulated file larger than the memory allowed, and compare the methods",
                      "roipca demo --folder /tmp/demo --megabytes 1000");
  arguments.add("--folder", settings->folder, "Folder for model and report; created if missing");
  arguments.add("--megabytes", settings->megabytes, {1, 1000000},
                "Size of the data file, which is removed at the end");
  arguments.add("--features", settings->features, {2, 100000}, "Comparison: number of features");
  arguments.add("-k,--components", settings->components, {1, 1000}, "Comparison: number of components");
  arguments.add("--rows", settings->rows, {2, 10000000}, "Comparison: number of rows");
  arguments.add("--seed", settings->seed, {.least = 0}, "Seed of the random numbers");
  return arguments.command([settings] {
    if (settings->components > settings->features) {
      throw UsageError("--components is " + std::to_string(settings->components) + ", but --features only " +
                       std::to_string(settings->features));
    }
    run_demo(*settings);
  });
}

}  // namespace roipca::cli
