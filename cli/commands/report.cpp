#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "output_paths.hpp"
#include "report/page.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

struct ReportSettings {
  std::string model;
  std::string output;
  std::string title;
  std::string image;
  Index shown = 10;
};

// "28x28" as height and width.
std::pair<Index, Index> parse_size(const std::string& text) {
  constexpr Index kMost = 1 << 20;
  std::pair<Index, Index> size = {0, 0};
  const char* const end = text.data() + text.size();
  const auto [cross, error] = std::from_chars(text.data(), end, size.first);
  if (error == std::errc() && cross != end && *cross == 'x') {
    const auto [stop, last_error] = std::from_chars(cross + 1, end, size.second);
    const auto fits = [](Index n) { return n >= 1 && n <= kMost; };
    if (last_error == std::errc() && stop == end && fits(size.first) && fits(size.second)) return size;
  }
  throw UsageError("--image \"" + text + "\": height and width, as 28x28");
}

void report(const ReportSettings& settings) {
  PageSettings page;
  page.title =
      settings.title.empty() ? std::filesystem::path(settings.model).filename().string() : settings.title;
  page.shown = settings.shown;
  if (!settings.image.empty()) page.picture = parse_size(settings.image);
  const ModelFacts facts = facts_of(load_any(settings.model));
  if (page.picture && page.picture->first * page.picture->second != facts.components.cols()) {
    throw FileError(settings.model + ": has " + std::to_string(facts.components.cols()) +
                    " features, which are not the pixels of " + settings.image);
  }
  const std::string output = settings.output.empty()
                                 ? std::filesystem::path(settings.model).replace_extension(".html").string()
                                 : settings.output;
  require_apart({output}, {settings.model});
  write_file(output, report_page(facts, page));
  if (output != "-") std::printf("report in %s\n", output.c_str());
}

}  // namespace

Command add_report(CLI::App& program) {
  auto* app = program.add_subcommand("report", "A page about a model: spectrum, components, settings");
  auto settings = std::make_shared<ReportSettings>();
  app->add_option("MODEL", settings->model, "A file that roipca fit wrote")->required();
  app->add_option("-o,--output", settings->output, "Where the page goes; MODEL with .html unless given");
  app->add_option("--title", settings->title, "The name of the file unless given");
  app->add_option("--image", settings->image, "Draw components as pictures of HEIGHTxWIDTH pixels");
  app->add_option("--shown", settings->shown, "Components to draw")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->footer("Example: roipca report mnist.safetensors --image 28x28");
  return {app, [settings] { report(*settings); }};
}

}  // namespace roipca::cli
