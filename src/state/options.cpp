#include "state/options.hpp"

#include <stdexcept>
#include <string>

#include "roipca/option_table.hpp"

namespace roipca::state {
namespace {

constexpr Index kLongestText = 64;  // the longest number takes 24 characters

void visit_text(Archive& archive, std::string& text) {
  auto length = static_cast<Index>(text.size());
  archive.count(length, kLongestText);
  text.resize(static_cast<std::size_t>(length));
  for (char& c : text) archive(c);
}

}  // namespace

void visit_options(Archive& archive, Options& options) {
  for (const OptionRow& row : option_table()) {
    const std::string before = row.to_text(options);
    std::string text = before;
    visit_text(archive, text);
    if (text != before && !row.from_text(options, text)) {  // an archive that writes changes nothing
      throw std::invalid_argument(row.name() + " must be " + row.accepted() + ", not \"" + text + "\"");
    }
  }
}

}  // namespace roipca::state
