#include "memory_limit.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace roipca::cli {

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || value == 0) return std::nullopt;
  if (stop == end) return value;
  const std::size_t unit = kUnits.find(*stop);
  if (unit == std::string_view::npos || stop + 1 != end) return std::nullopt;
  const auto shift = static_cast<unsigned>(10 * (unit + 1));
  if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return value << shift;
}

std::uint64_t least_memory() {
  return std::uint64_t{16} << 20U;  // measured: 784 columns of npy take less than 14 MB
}

void make_stacks_small() {
  constexpr std::size_t kStack = std::size_t{2} << 20U;
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) == 0) {
    std::size_t stack = 0;
    ::pthread_attr_getstacksize(&attributes, &stack);
    ::pthread_attr_setstacksize(&attributes, std::min(stack, kStack));
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
  }
}

void limit_memory([[maybe_unused]] std::uint64_t bytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // The sanitizers reserve more memory than any limit for the rows would leave them.
#else
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

std::optional<std::uint64_t> memory_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::string memory_limit_text() {
  const auto limit = memory_limit();
  return limit ? " within " + std::to_string(*limit >> 20U) + " MB" : "";
}

std::string not_enough_memory() { return "not enough memory" + memory_limit_text() + " (see --max-memory)"; }

std::uint64_t memory_for_exact(std::int64_t features) {
  constexpr double kMatrices = 9.5;  // measured: 8.7 to 9.1 of 1,000 to 3,000 features, in either precision
  const auto d = static_cast<double>(features);
  return least_memory() + static_cast<std::uint64_t>(kMatrices * sizeof(double) * d * d);
}

}  // namespace roipca::cli
