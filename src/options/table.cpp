#include <stdexcept>
#include <type_traits>
#include <utility>

#include "roipca/option_table.hpp"

namespace roipca {
namespace {

// How each type of option holds a number: `number_of` returns nothing if it holds a word instead.
std::optional<std::int64_t> number_of(Index count) { return count; }
std::optional<std::int64_t> number_of(const std::optional<Index>& count) { return count; }
std::optional<double> number_of(double number) { return number; }
std::optional<double> number_of(const Mu& mu) {
  return mu.kind == Mu::Kind::kFixed ? std::optional(mu.variance) : std::nullopt;
}
std::optional<double> number_of(const LearningRate& rate) {
  return rate.kind == LearningRate::Kind::kFixed ? std::optional(rate.c) : std::nullopt;
}
template <typename Enumerator>
requires(std::is_enum_v<Enumerator> ||
         std::is_same_v<Enumerator, bool>) std::optional<std::int64_t> number_of(Enumerator) {
  return std::nullopt;
}

// The inverse of `number_of`.
void assign(Index& count, std::int64_t number) { count = number; }
void assign(std::optional<Index>& count, std::int64_t number) { count = number; }
void assign(double& value, double number) { value = number; }
void assign(Mu& mu, double variance) { mu = Mu::fixed(variance); }
void assign(LearningRate& rate, double c) { rate = LearningRate::fixed(c); }

template <typename Member>
using Words = std::vector<std::pair<std::string, Member>>;

template <typename Member>
OptionRow row(std::string name, Member Options::*member, Words<Member> words,
              std::optional<NumberRange> numbers, std::string help) {
  using Number = typename decltype(number_of(std::declval<Member>()))::value_type;
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const auto get = [name, member, words](const Options& options) -> OptionValue {
    if (const auto number = number_of(options.*member)) return *number;
    for (const auto& [word, value] : words) {
      if (value == options.*member) return word;
    }
    throw std::invalid_argument(name + ": no such enumerator");
  };
  const auto set = [member, words](Options& options, const OptionValue& value) {
    if constexpr (requires(Member & target, Number number) { assign(target, number); }) {
      if (const auto* number = std::get_if<Number>(&value)) return assign(options.*member, *number);
    }
    for (const auto& [word, meaning] : words) {
      if (word == std::get<std::string>(value)) options.*member = meaning;
    }
  };
  return {std::move(name), std::move(names), numbers, std::move(help), get, set};
}

NumberRange integers(double least, double most = std::numeric_limits<double>::infinity()) {
  return {.integer = true, .least = least, .most = most};
}

constexpr NumberRange kFromZero = {};
constexpr NumberRange kAboveZero = {.above_least = true};
constexpr NumberRange kUpToOne = {.most = 1.0, .above_least = true};
constexpr std::nullopt_t kNoNumbers = std::nullopt;
// The products of a block's rows with each other are kept in memory.
constexpr double kLargestBlock = 4096;
// The first rows are kept in memory.
constexpr double kMostFirstRows = 1 << 20;
// Each probe takes the memory of two components; a bound on the error hardly improves with more.
constexpr double kMostProbes = 1024;

std::vector<OptionRow> make_table() {
  const Words<std::optional<Index>> automatic = {{"auto", std::nullopt}};
  const Words<bool> flag = {{"true", true}, {"false", false}};
  return {
      row("n_components", &Options::n_components, {}, integers(0),
          "Number of components to report, or 0 for the number of features"),
      row("method", &Options::method,
          {{"auto", Method::kAuto},
           {"roipca", Method::kRoipca},
           {"froipca", Method::kFroipca},
           {"ipca", Method::kIpca},
           {"ccipca", Method::kCcipca},
           {"gha", Method::kGha},
           {"oja", Method::kOja},
           {"fd", Method::kFrequentDirections},
           {"exact", Method::kExact}},
          kNoNumbers, "Algorithm"),
      row("update_every", &Options::update_every,
          {{"block", UpdateEvery::kBlock}, {"row", UpdateEvery::kRow}}, kNoNumbers,
          "When roipca and ipca update the components"),
      row("block_size", &Options::block_size, automatic, integers(1, kLargestBlock),
          "Number of rows per block"),
      row("mu", &Options::mu, {{"mean", Mu::mean()}, {"zero", Mu::zero()}}, kFromZero,
          "Variance assumed along directions that are not held"),
      row("tau", &Options::tau, {{"zero", Tau::kZero}, {"optimal", Tau::kOptimal}}, kNoNumbers,
          "How froipca approximates rotations within the components"),
      row("oversampling", &Options::oversampling, automatic, integers(0),
          "Number of components held beyond those reported"),
      row("center", &Options::center, flag, kNoNumbers, "Subtract the running mean"),
      row("standardize", &Options::standardize, flag, kNoNumbers,
          "Divide each feature by its standard deviation"),
      row("first_rows", &Options::first_rows, automatic, integers(2, kMostFirstRows),
          "Number of first rows from which scales and first guesses at missing values are computed"),
      row("missing", &Options::missing, {{"error", Missing::kError}, {"impute", Missing::kImpute}},
          kNoNumbers, "Refuse missing values (NaN), or fill them with the values that the model expects"),
      row("forgetting", &Options::forgetting, {}, kUpToOne,
          "Multiply the weight of all earlier rows by this factor at each row"),
      row("window", &Options::window, {{"none", std::nullopt}}, integers(1),
          "Number of latest rows to cover, or none for all rows"),
      row("align", &Options::align,
          {{"none", Align::kNone}, {"previous", Align::kPrevious}, {"previous-order", Align::kPreviousOrder}},
          kNoNumbers,
          "Keep the signs, or the signs and the order, of components from one reading to the next"),
      row("probes", &Options::probes, {}, integers(0, kMostProbes),
          "Number of random probes, which estimate the error after one pass"),
      row("threads", &Options::threads, {}, integers(1), "Number of worker threads"),
      row("learning_rate", &Options::learning_rate,
          {{"none", LearningRate::scale_free()}, {"auto", LearningRate::tuned()}}, kAboveZero,
          "c in the learning rate c/n of gha and oja; auto tunes it, none derives it from the variance"),
      row("amnesia", &Options::amnesia, {}, kFromZero, "Extra weight of a new row in ccipca"),
  };
}

}  // namespace

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> table = make_table();
  return table;
}

}  // namespace roipca
