#include <charconv>
#include <stdexcept>
#include <string>

#include "readers/binary.hpp"

namespace roipca::cli {

BinaryLayout raw_layout(std::string_view format) {
  constexpr std::string_view kPrefix = "raw:";
  const auto refuse = [&] {
    throw std::invalid_argument(
        "--format \"" + std::string(format) +
        "\": raw data need a type and a number of columns, such as raw:f32:784 (types: "
        "f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64; append be for big-endian)");
  };
  std::string_view rest = format;
  if (rest.starts_with(kPrefix)) rest.remove_prefix(kPrefix.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) refuse();
  const auto type = element_type_from_name(rest.substr(0, colon));
  rest.remove_prefix(colon + 1);
  BinaryLayout layout;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), layout.columns);
  constexpr Index kMost = Index{1} << 40U;  // so that products with element sizes do not overflow
  const bool is_count = error == std::errc() && stop == rest.data() + rest.size();
  if (!type || !is_count || layout.columns < 1 || layout.columns > kMost) refuse();
  layout.type = *type;
  return layout;
}

}  // namespace roipca::cli
