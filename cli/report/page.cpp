#include "report/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "feature_names.hpp"
#include "report/plot.hpp"
#include "report/png.hpp"

namespace roipca::cli {
namespace {

// The policy forbids all requests, whatever an escaping mistake might let through.
constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 0.2rem; font-weight: 600; }
svg { width: 100%; height: auto; display: block; }
svg text { font-size: 11px; fill: #555; }
.axis { stroke: #999; fill: none; } .bar, .dot { fill: #2166ac; } .line { stroke: #2166ac; fill: none; }
table { border-collapse: collapse; } td, th { padding: 0.1rem 1rem 0.1rem 0; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; } .numbers td, .numbers th { text-align: right; font-variant-numeric: tabular-nums; }
img { image-rendering: pixelated; width: 10rem; border: 1px solid #ccc; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; } figcaption { text-align: center; }
</style>
)";

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : as_utf8(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string settings_table(const ModelFacts& facts) {
  std::string html = "<table>\n";
  for (const auto& [label, value] : facts.settings) {
    html += "<tr><th>" + escaped(label) + "</th><td>" + escaped(value) + "</td></tr>\n";
  }
  return html + "</table>\n";
}

std::string spectrum(const ModelFacts& facts) {
  Vector<double> sums = facts.ratio;
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  return "<h2>Variance along each component</h2>\n" + bar_plot(facts.variance, "Scree plot") +
         "\n<h2>Part of the variance that the leading components explain</h2>\n" +
         rising_plot(sums, 1.0, "Cumulative variance") + "\n";
}

std::string feature_name(const ModelFacts& facts, Index feature) {
  if (facts.names.empty()) return "feature " + std::to_string(feature + 1);
  return facts.names[static_cast<std::size_t>(feature)];
}

// The features that weigh most in a component.
std::string leading_features(const ModelFacts& facts, Index component) {
  constexpr Index kMost = 6;
  const auto weights = facts.components.row(component);
  std::vector<Index> order(static_cast<std::size_t>(weights.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const Index count = std::min<Index>(kMost, weights.size());
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](Index a, Index b) { return std::abs(weights[a]) > std::abs(weights[b]); });
  std::string text;
  for (Index i = 0; i < count; ++i) {
    const Index feature = order[static_cast<std::size_t>(i)];
    text += (i == 0 ? "" : ", ") + escaped(feature_name(facts, feature)) + " " + number(weights[feature]);
  }
  return "<p>Largest: " + text + "</p>\n";
}

std::string heading(const ModelFacts& facts, Index component) {
  return "Component " + std::to_string(component + 1) + ": " + number(100.0 * facts.ratio[component]) +
         " % of the variance";
}

std::string components_as_lines(const ModelFacts& facts, Index count) {
  std::string html;
  for (Index i = 0; i < count; ++i) {
    html += "<h3>" + heading(facts, i) + "</h3>\n" +
            line_plot(facts.components.row(i), "Component " + std::to_string(i + 1)) + "\n" +
            leading_features(facts, i);
  }
  return html;
}

std::string components_as_pictures(const ModelFacts& facts, Index count, Index height, Index width) {
  std::string html = "<div class=\"pictures\">\n";
  for (Index i = 0; i < count; ++i) {
    html += "<figure><img alt=\"Component " + std::to_string(i + 1) + "\" src=\"" +
            picture_address(facts.components.row(i), height, width) + "\"><figcaption>" +
            std::to_string(i + 1) + ": " + number(100.0 * facts.ratio[i]) + " %</figcaption></figure>\n";
  }
  return html + "</div>\n";
}

}  // namespace

std::string report_page(const ModelFacts& facts, const PageSettings& settings) {
  const Index count = std::min<Index>(settings.shown, facts.components.rows());
  const std::string title = escaped(settings.title);
  std::string html = kHead + ("<title>" + title + "</title>\n</head>\n<body>\n<h1>" + title + "</h1>\n") +
                     settings_table(facts) + spectrum(facts) + "<h2>The leading components</h2>\n";
  html += settings.picture
              ? components_as_pictures(facts, count, settings.picture->first, settings.picture->second)
              : components_as_lines(facts, count);
  return html + "</body>\n</html>\n";
}

}  // namespace roipca::cli
