#include "report/page.hpp"

#include <algorithm>

#include "report/assets.hpp"
#include "report/sentences.hpp"
#include "report/text.hpp"

namespace roipca::cli {
namespace {

using Json = nlohmann::json;

std::string tagged(const std::string& tag, const std::string& html) {
  return "<" + tag + ">" + html + "</" + tag + ">";
}

// Text whose direction does not affect its surroundings.
std::string isolated(const std::string& text) { return tagged("bdi", escaped(text)); }

std::string head(const std::string& title) {
  const std::string policy = std::string("default-src 'none'; base-uri 'none'; form-action 'none'; ") +
                             "style-src " + kPageStyle.hash + "; script-src " + kPageScript.hash;
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escaped(title) + "</title>\n<style>" + kPageStyle.text + "</style>\n</head>\n";
}

std::string header(const ModelFacts& facts, const std::string& title) {
  std::string html = "<header>\n<h1>" + isolated(title) + "</h1>\n";
  for (const std::string& sentence : summary_sentences(facts)) {
    html += tagged("p", escaped(sentence)) + "\n";
  }
  return html + "<noscript><p>The plots need JavaScript.</p></noscript>\n</header>\n";
}

std::string spectrum_table(const ModelFacts& facts) {
  std::string html =
      "<details>\n<summary>The numbers</summary>\n<div class=\"scroll\"><table class=\"numbers\">\n"
      "<thead><tr><th>component</th><th>variance</th><th>share</th><th>sum of shares</th></tr></thead>\n";
  double sum = 0.0;
  for (std::size_t i = 0; i < facts.variance.size(); ++i) {
    sum += facts.ratio[i];
    html += "<tr>" + tagged("td", grouped(static_cast<Index>(i) + 1)) +
            tagged("td", number(facts.variance[i])) + tagged("td", percent(facts.ratio[i])) +
            tagged("td", percent(sum)) + "</tr>\n";
  }
  return html + "</table></div>\n</details>\n";
}

std::string spectrum(const ModelFacts& facts) {
  return "<section>\n<h2>Variance</h2>\n<div class=\"pair\">\n"
         "<figure><figcaption>Variance of each component <button type=\"button\" id=\"log\" "
         "aria-pressed=\"false\">log scale</button></figcaption><div id=\"variance\"></div></figure>\n"
         "<figure><figcaption>Cumulative share of the variance</figcaption>"
         "<div id=\"cumulative\"></div></figure>\n</div>\n" +
         spectrum_table(facts) + "</section>\n";
}

std::string score_plot(const PageSettings& settings, Index components) {
  std::string html = "<section>\n<h2>Scores</h2>\n";
  if (!settings.scores) {
    return html +
           "<p>Name a file of rows to see their scores here: <code>roipca report MODEL INPUT</code>.</p>\n"
           "</section>\n";
  }
  const auto count = static_cast<std::int64_t>(settings.scores->chosen.size());
  const std::string rows =
      count < settings.scores->rows
          ? grouped(count) + " of " + counted(settings.scores->rows, "row") + ", chosen at random"
          : (count == 1 ? "" : "All ") + counted(count, "row");
  const std::string axes = components == 1 ? "The scores on the component, in the order of the rows. "
                                           : "The scores on the first two components. ";
  return html + "<figure><figcaption>" + axes + rows + ".</figcaption><div id=\"scores\"></div></figure>\n" +
         "</section>\n";
}

std::string loadings_note(const ModelFacts& facts, const PageSettings& settings, Index shown) {
  const Index components = facts.components.rows();
  std::string note;
  if (shown < components) {
    note += "These are the first " + grouped(shown) + " of " + grouped(components) +
            " components. <code>--shown</code> draws more. ";
  }
  if (const Index features = facts.components.cols();
      settings.form == LoadingsForm::kBars && features > kAllAsBars) {
    note += "For each, the " + grouped(kLargestAsBars) + " largest of " + grouped(features) + " loadings. ";
  }
  if (settings.form == LoadingsForm::kImages) {
    note += "Blue pixels are positive, red ones negative, and the largest loading has the full colour. ";
  }
  return note + "The sign of a component is arbitrary.";
}

// One card per component, which the script fills.
std::string loadings(const ModelFacts& facts, const PageSettings& settings, Index shown) {
  std::string html = "<section>\n<h2>Loadings</h2>\n<p class=\"note\">" +
                     loadings_note(facts, settings, shown) + "</p>\n<div class=\"cards" +
                     (settings.form == LoadingsForm::kImages ? " small" : "") + "\">\n";
  for (Index i = 0; i < shown; ++i) {
    html += "<figure class=\"loadings\"><figcaption>Component " + grouped(i + 1) + " <span>" +
            percent(facts.ratio[i]) + "</span></figcaption><div></div></figure>\n";
  }
  return html + "</div>\n</section>\n";
}

std::string model_table(const ModelFacts& facts) {
  std::string html = "<section class=\"whole\">\n<h2>The model</h2>\n<table class=\"facts\">\n";
  for (const auto& [label, value] : facts.settings) {
    html += "<tr>" + tagged("th", escaped(label)) + tagged("td", isolated(displayable(value))) + "</tr>\n";
  }
  return html + "</table>\n</section>\n";
}

std::string counts_table(const ModelFacts& facts) {
  std::string html =
      "<section class=\"whole\">\n<h2>How many components the rows support</h2>\n<table class=\"facts\">\n";
  for (const auto& [rule, count] : counts_text(facts.counts)) {
    html += "<tr>" + tagged("th", escaped(rule)) + tagged("td", escaped(count)) + "</tr>\n";
  }
  html += "</table>\n";
  for (const std::string& caution : facts.counts.cautions) {
    html += "<p class=\"note\">" + escaped(caution) + "</p>\n";
  }
  return html + "</section>\n";
}

Json scores_data(const std::optional<ScoreSample>& sample, Index components) {
  if (!sample) return {};
  Json rows = Json::array();
  Json first = Json::array();
  Json second = Json::array();
  for (const ScoredRow& scored : sample->chosen) {
    rows.push_back(scored.row);
    first.push_back(scored.scores[0]);
    second.push_back(scored.scores[1]);
  }
  if (components == 1) return {{"rows", std::move(rows)}, {"scores", {std::move(first)}}};
  return {{"rows", std::move(rows)}, {"scores", {std::move(first), std::move(second)}}};
}

// Returns JSON that cannot end the script element around it: ASCII without "<".
std::string script_safe(const Json& data) {
  std::string safe;
  for (const char c : data.dump(-1, ' ', true)) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string plot_data(const ModelFacts& facts, const PageSettings& settings, Index shown) {
  return script_safe({{"variance", facts.variance},
                      {"share", facts.ratio},
                      {"scores", scores_data(settings.scores, facts.components.rows())},
                      {"loadings", loadings_data(facts, shown, settings.form, settings.image)}});
}

}  // namespace

std::string report_page(const ModelFacts& facts, const PageSettings& settings) {
  constexpr std::size_t kTitle = 120;
  const std::string title = displayable(settings.title, kTitle);
  const Index components = facts.components.rows();
  const Index shown = std::min(settings.shown, components);
  return head(title) + "<body>\n<main>\n" + header(facts, title) + spectrum(facts) +
         score_plot(settings, components) + loadings(facts, settings, shown) + counts_table(facts) +
         model_table(facts) + "</main>\n<script type=\"application/json\" id=\"data\">" +
         plot_data(facts, settings, shown) + "</script>\n<script type=\"module\">" + kPageScript.text +
         "</script>\n</body>\n</html>\n";
}

}  // namespace roipca::cli
