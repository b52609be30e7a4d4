#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "interrupt.hpp"
#include "notes.hpp"
#include "output_paths.hpp"
#include "report/page.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

struct ReportSettings {
  std::string model;
  InputOptions input;  // the paths may be empty
  std::string output;
  std::string title;
  std::string image;
  std::string loadings = "auto";
  Index shown = 10;
};

// Parses "28x28" as height and width.
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
  throw UsageError("--image \"" + text + "\": must be height and width, such as 28x28");
}

LoadingsForm form_of(const ReportSettings& settings, const ModelFacts& facts) {
  if (!settings.image.empty()) return LoadingsForm::kImages;
  if (settings.loadings == "auto") return suitable_form(facts);
  return settings.loadings == "bars" ? LoadingsForm::kBars : LoadingsForm::kLines;
}

void report(const ReportSettings& settings) {
  PageSettings page;
  page.title =
      settings.title.empty() ? std::filesystem::path(settings.model).filename().string() : settings.title;
  page.shown = settings.shown;
  if (!settings.image.empty()) page.image = parse_size(settings.image);
  const std::string output = settings.output.empty()
                                 ? std::filesystem::path(settings.model).replace_extension(".html").string()
                                 : settings.output;
  require_apart({output}, {settings.model});
  require_apart({output}, settings.input.paths);
  const AnyModel model = load_model(settings.model);
  const ModelFacts facts = facts_of(model);
  if (page.image && page.image->first * page.image->second != facts.components.cols()) {
    throw FileError(settings.model + ": has " + std::to_string(facts.components.cols()) +
                    " features, which are not the pixels of " + settings.image);
  }
  page.form = form_of(settings, facts);
  if (!settings.input.paths.empty()) page.scores = sample_scores(model, settings.input);
  write_file(output, report_page(facts, page));
  if (output != "-" && !is_quiet()) std::printf("report in %s\n", output.c_str());
}

}  // namespace

Command add_report(CLI::App& program) {
  auto settings = std::make_shared<ReportSettings>();
  Arguments arguments(program, "report", "Write a page about a model: variance, scores, loadings",
                      "roipca report mnist.safetensors mnist.npy --image 28x28");
  arguments.add_argument("MODEL", settings->model, "Model file, as written by roipca fit");
  arguments.add_arguments("INPUT", settings->input.paths,
                          "Files of rows, or - for standard input, to plot the scores of 1,000 rows", 0);
  arguments.add("-o,--output", settings->output,
                "Write the page to this file, or - for standard output; by default MODEL with .html");
  arguments.add("--title", settings->title, "Title of the page; by default the name of MODEL");
  arguments.add("--image", settings->image, "Draw loadings as images of HEIGHTxWIDTH pixels, such as 28x28");
  arguments.add("--loadings", settings->loadings,
                "How to draw loadings; auto: bars for features with names, lines otherwise",
                {.choices = {"auto", "bars", "lines"}});
  arguments.add("--shown", settings->shown, {1, 1000}, "Number of components whose loadings are drawn");
  add_format_options(arguments, settings->input);
  return arguments.command([settings] {
    watch_for_interrupts();
    settings->input.begin(InputOptions::Need::kNone);
    if (!settings->image.empty() && settings->loadings != "auto") {
      throw UsageError("--loadings and --image exclude each other");
    }
    report(*settings);
  });
}

}  // namespace roipca::cli
