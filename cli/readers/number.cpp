#include "readers/number.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

namespace roipca::cli {

const char* parse_number(const char* begin, const char* end, double& value) {
  if (begin != end && *begin == '+' && end - begin > 1 && begin[1] != '-') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(begin, stop).c_str(), nullptr);
    return stop;
  }
  return error == std::errc() ? stop : nullptr;
}

bool is_number(std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  return parse_number(text.data(), end, value) == end && !text.empty();
}

}  // namespace roipca::cli
