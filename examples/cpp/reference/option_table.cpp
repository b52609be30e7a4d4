// Reads options from words, as a file of settings has them, and prints their help.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <roipca/option_table.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace {

const roipca::OptionRow& find(const std::string& name) {
  const std::vector<roipca::OptionRow>& table = roipca::option_table();
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name() == name; });
  if (row == table.end()) throw std::invalid_argument("no option " + name);
  return *row;
}

}  // namespace

int main() {
  for (const roipca::OptionRow& row : roipca::option_table()) {
    std::printf("%s: %s%s (%s)\n", row.name().c_str(), row.is_flag() ? "flag: " : "", row.help().c_str(),
                row.accepted().c_str());
  }

  roipca::Options options;
  assert(find("forgetting").from_text(options, "0.999") && options.forgetting == 0.999);
  assert(find("method").from_text(options, "froipca") && options.method == roipca::Method::kFroipca);
  assert(!find("method").from_text(options, "fast"));  // not one of its words; nothing has changed
  assert(find("method").to_text(options) == "froipca");

  // As values instead of text.
  assert(find("threads").set(options, roipca::OptionValue(std::int64_t{4})) && options.threads == 4);
  const roipca::OptionValue threads = find("threads").get(options);
  assert(std::get<std::int64_t>(threads) == 4);

  // Which words and numbers an option accepts.
  const std::vector<std::string>& words = find("method").words();
  assert(std::count(words.begin(), words.end(), "exact") == 1);
  const roipca::NumberRange range = *find("forgetting").numbers();
  assert(range.contains(1.0) && !range.contains(0.0));
  assert(!range.integer && range.least == 0.0 && range.above_least && range.most == 1.0);
  std::printf("forgetting is %s\n", range.text().c_str());

  options.threads = -1;
  try {
    find("threads").check(options);
    return 1;
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
  }

  // A row of your own, for a member of Options or for something that follows from some of them.
  const roipca::OptionRow::Get get = [](const roipca::Options& o) {
    return roipca::OptionValue(o.forgetting < 1.0 ? 1.0 / (1.0 - o.forgetting) : 0.0);
  };
  const roipca::OptionRow::Set set = [](roipca::Options& o, const roipca::OptionValue& value) {
    o.forgetting = 1.0 - 1.0 / std::get<double>(value);
  };
  const roipca::OptionRow memory("memory", {}, roipca::NumberRange{.least = 1.0}, "Rows that count", get,
                                 set);
  assert(memory.set(options, roipca::OptionValue(100.0)) && options.forgetting == 0.99);
}
