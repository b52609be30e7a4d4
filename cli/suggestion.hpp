/// Guesses what a misspelt word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roipca::cli {

/// Returns the number of characters to insert, delete or replace, and of neighbours to exchange, that turn
/// one word into the other, where no character is changed twice. Costs the product of their lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate with the smallest edit distance from `word`, the first of several. Returns an empty
/// text if even that one is too different: more than one edit per three characters of `word`. Dashes at the
/// beginning do not count as characters.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace roipca::cli
