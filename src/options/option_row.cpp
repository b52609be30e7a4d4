#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "roipca/option_table.hpp"

namespace roipca {
namespace {

template <typename Number>
std::string digits(Number number) {
  std::array<char, 32> buffer{};  // the longest double, -2.2250738585072014e-308, takes 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

template <typename Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string text_of(const OptionValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return digits(*integer);
  return digits(std::get<double>(value));
}

}  // namespace

bool NumberRange::contains(double number) const {
  return std::isfinite(number) && (above_least ? number > least : number >= least) && number <= most;
}

std::string NumberRange::text() const {
  std::string text = integer ? "an integer" : "a number";
  text += (above_least ? " above " : " from ") + digits(least);
  if (std::isfinite(most)) text += (above_least ? " and at most " : " to ") + digits(most);
  return text;
}

OptionRow::OptionRow(std::string name, std::vector<std::string> words, std::optional<NumberRange> numbers,
                     std::string help, Get get, Set set)
    : name_(std::move(name)),
      words_(std::move(words)),
      numbers_(numbers),
      help_(std::move(help)),
      get_(std::move(get)),
      set_(std::move(set)) {}

bool OptionRow::is_flag() const { return words_ == std::vector<std::string>{"true", "false"}; }

std::string OptionRow::accepted() const {
  std::vector<std::string> all = words_;
  if (numbers_) all.push_back(numbers_->text());
  std::string text = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) text += (i + 1 < all.size() ? ", " : " or ") + all[i];
  return text;
}

OptionValue OptionRow::get(const Options& options) const { return get_(options); }

bool OptionRow::accepts(const OptionValue& value) const {
  if (const auto* word = std::get_if<std::string>(&value)) {
    return std::find(words_.begin(), words_.end(), *word) != words_.end();
  }
  if (!numbers_) return false;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return numbers_->contains(static_cast<double>(*integer));
  }
  return !numbers_->integer && numbers_->contains(std::get<double>(value));
}

bool OptionRow::set(Options& options, const OptionValue& value) const {
  if (!accepts(value)) return false;
  const auto* integer = std::get_if<std::int64_t>(&value);
  const bool widens = integer != nullptr && !numbers_->integer;
  set_(options, widens ? OptionValue(static_cast<double>(*integer)) : value);
  return true;
}

std::string OptionRow::to_text(const Options& options) const { return text_of(get(options)); }

bool OptionRow::from_text(Options& options, std::string_view text) const {
  if (set(options, std::string(text))) return true;
  if (!numbers_) return false;
  if (numbers_->integer) {
    const auto integer = parsed<std::int64_t>(text);
    return integer && set(options, *integer);
  }
  const auto number = parsed<double>(text);
  return number && set(options, *number);
}

void OptionRow::check(const Options& options) const {
  const OptionValue value = get(options);
  if (accepts(value)) return;
  throw std::invalid_argument(name_ + " must be " + accepted() + ", not " + text_of(value));
}

}  // namespace roipca
