#include "shares.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "printable.hpp"

namespace roipca::cli {
namespace {

// Returns `part` as text that is not rounded up to `whole`.
std::string below(double whole, double part, int digits) {
  constexpr double kRounding = 1e-12;  // of a sum of shares
  constexpr int kMostDigits = 15;
  std::array<char, 32> text{};
  if (part > whole * (1.0 - kRounding)) part = whole;
  do {
    std::snprintf(text.data(), text.size(), "%.*g", digits, part);
  } while (part < whole && std::strtod(text.data(), nullptr) >= whole && ++digits <= kMostDigits);
  return text.data();
}

// Returns a feature's name, or its number if it has none.
std::string name_of(std::size_t feature, const std::vector<std::string>& names) {
  return feature < names.size() ? '"' + printable(names[feature]) + '"' : std::to_string(feature + 1);
}

template <typename T>
std::optional<std::string> note_on_scales(const Model<T>& model, const std::vector<std::string>& names,
                                          const std::string& remedy) {
  const std::optional<WrongScale> off = model.worst_scale();
  if (!off) return std::nullopt;
  std::array<char, 32> times{};
  std::snprintf(times.data(), times.size(), "%.2g", off->ratio);
  std::string text = "note: the standard deviation of feature " +
                     name_of(static_cast<std::size_t>(off->feature), names) + " is " + times.data() +
                     " times the number from the first rows by which it is divided";
  if (off->count > 1)
    text += " (" + std::to_string(off->count) + " features are off by a factor of three or more)";
  return text + "; " + remedy;
}

}  // namespace

std::string share_text(double share, int digits) { return below(1.0, share, digits); }

std::string percent_text(double share, int digits) { return below(100.0, 100.0 * share, digits); }

template <typename T>
std::optional<std::string> note_on_units(const Model<T>& model, const std::vector<std::string>& names,
                                         const UnitRemedies& remedies) {
  // The standard deviation of the feature is then ten times that of all others together. Features in one unit
  // hardly differ that much, and the first component shows little but this feature: the others have too small
  // a part of the variance for T^2 and SPE to see faults in them.
  constexpr double kNearlyAll = 0.99;
  constexpr int kFewest = 3;  // of two features, one often is a total or a count
  if (model.options.standardize) return note_on_scales(model, names, remedies.scales);
  const std::vector<double> variance = model.feature_variance();
  if (std::ranges::count_if(variance, [](double v) { return v > 0.0; }) < kFewest) return std::nullopt;
  const auto largest = std::ranges::max_element(variance);
  const double share = *largest / std::accumulate(variance.begin(), variance.end(), 0.0);
  if (!(share > kNearlyAll)) return std::nullopt;
  const auto feature = static_cast<std::size_t>(largest - variance.begin());
  return "note: feature " + name_of(feature, names) + " has " + percent_text(share, 4) +
         " % of the variance; if units differ, " + remedies.units;
}

template std::optional<std::string> note_on_units(const Model<float>&, const std::vector<std::string>&,
                                                  const UnitRemedies&);
template std::optional<std::string> note_on_units(const Model<double>&, const std::vector<std::string>&,
                                                  const UnitRemedies&);

}  // namespace roipca::cli
