#include "report/loadings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>

#include "readers/number.hpp"
#include "report/text.hpp"

namespace roipca::cli {
namespace {

using Json = nlohmann::json;
using Loadings = std::span<const double>;

constexpr std::size_t kRuns = 1000;
constexpr std::size_t kSide = 200;

// Five digits of the largest loading are more than a plot can show, and keep the page small.
class Rounding {
 public:
  explicit Rounding(Loadings loadings) {
    double largest = 0.0;
    for (const double loading : loadings) largest = std::max(largest, std::abs(loading));
    if (largest > 0.0) decimals_ = std::clamp(4 - static_cast<int>(std::floor(std::log10(largest))), 4, 300);
  }

  double operator()(double value) const {
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals_, value);
    return std::strtod(text.data(), nullptr);
  }

 private:
  int decimals_ = 4;
};

std::size_t divided_up(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

std::string feature_name(const ModelFacts& facts, std::size_t feature) {
  return facts.names.empty() ? "feature " + std::to_string(feature + 1) : displayable(facts.names[feature]);
}

// Returns the names as numbers if they are finite and increasing.
std::optional<std::vector<double>> axis_from_names(const ModelFacts& facts) {
  std::vector<double> axis;
  for (const std::string& name : facts.names) {
    double value = 0.0;
    if (!is_number(name)) return std::nullopt;
    parse_number(name.data(), name.data() + name.size(), value);
    if (!std::isfinite(value) || (!axis.empty() && value <= axis.back())) return std::nullopt;
    axis.push_back(value);
  }
  if (axis.empty()) return std::nullopt;
  return axis;
}

// Zero-based positions of the `count` loadings of largest magnitude, in descending order.
std::vector<std::size_t> largest(Loadings loadings, std::size_t count) {
  std::vector<std::size_t> order(loadings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double left = std::abs(loadings[a]);
                      const double right = std::abs(loadings[b]);
                      return left > right || (left == right && a < b);
                    });
  order.resize(count);
  return order;
}

Json named(const ModelFacts& facts, Loadings loadings, const std::vector<std::size_t>& features) {
  Json result = Json::array();
  for (const std::size_t feature : features) {
    result.push_back({feature_name(facts, feature), loadings[feature]});
  }
  return result;
}

Json bars(const ModelFacts& facts, Loadings loadings) {
  if (std::ssize(loadings) > kAllAsBars) return named(facts, loadings, largest(loadings, kLargestAsBars));
  std::vector<std::size_t> all(loadings.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return named(facts, loadings, all);
}

Json line(const ModelFacts& facts, Loadings loadings) {
  const Rounding rounded(loadings);
  const std::size_t length = divided_up(loadings.size(), kRuns);
  Json low = Json::array();
  Json high = Json::array();
  for (std::size_t first = 0; first < loadings.size(); first += length) {
    const Loadings run = loadings.subspan(first, std::min(length, loadings.size() - first));
    const auto [least, most] = std::minmax_element(run.begin(), run.end());
    low.push_back(rounded(*least));
    high.push_back(rounded(*most));
  }
  const auto [lowest, highest] = std::minmax_element(loadings.begin(), loadings.end());
  const auto position = [&](auto at) { return static_cast<std::size_t>(at - loadings.begin()); };
  Json result = {{"low", std::move(low)},
                 {"extremes", named(facts, loadings, {position(lowest), position(highest)})}};
  if (length > 1) result["high"] = std::move(high);
  return result;
}

Json image(Loadings loadings, std::size_t height, std::size_t width) {
  const Rounding rounded(loadings);
  const std::size_t side = divided_up(std::max(height, width), kSide);
  Json pixels = Json::array();
  for (std::size_t top = 0; top < height; top += side) {
    for (std::size_t left = 0; left < width; left += side) {
      const std::size_t bottom = std::min(top + side, height);
      const std::size_t right = std::min(left + side, width);
      double sum = 0.0;
      for (std::size_t i = top; i < bottom; ++i) {
        for (std::size_t j = left; j < right; ++j) sum += loadings[i * width + j];
      }
      pixels.push_back(rounded(sum / static_cast<double>((bottom - top) * (right - left))));
    }
  }
  return pixels;
}

}  // namespace

LoadingsForm suitable_form(const ModelFacts& facts) {
  const bool ordered = facts.names.empty() || axis_from_names(facts);
  return ordered && facts.components.cols() > kAllAsBars ? LoadingsForm::kLines : LoadingsForm::kBars;
}

Json loadings_data(const ModelFacts& facts, Index count, LoadingsForm form,
                   const std::optional<ImageSize>& size) {
  const auto features = static_cast<std::size_t>(facts.components.cols());
  Json components = Json::array();
  for (Index i = 0; i < count; ++i) {
    const Loadings loadings(facts.components.data() + static_cast<std::size_t>(i) * features, features);
    if (form == LoadingsForm::kBars) {
      components.push_back(bars(facts, loadings));
    } else if (form == LoadingsForm::kLines) {
      components.push_back(line(facts, loadings));
    } else {
      components.push_back(
          image(loadings, static_cast<std::size_t>(size->first), static_cast<std::size_t>(size->second)));
    }
  }
  if (form == LoadingsForm::kBars) return {{"form", "bars"}, {"components", std::move(components)}};
  if (form == LoadingsForm::kLines) {
    Json axis;  // where each run begins; null if the features have no numeric names
    const std::size_t run = divided_up(features, kRuns);
    if (const auto numbers = axis_from_names(facts)) {
      for (std::size_t first = 0; first < features; first += run) axis.push_back((*numbers)[first]);
    }
    return {{"form", "lines"},
            {"features", features},
            {"run", run},
            {"axis", std::move(axis)},
            {"components", std::move(components)}};
  }
  const auto longest = static_cast<std::size_t>(std::max(size->first, size->second));
  return {{"form", "images"},
          {"height", size->first},
          {"width", size->second},
          {"side", divided_up(longest, kSide)},
          {"components", std::move(components)}};
}

}  // namespace roipca::cli
