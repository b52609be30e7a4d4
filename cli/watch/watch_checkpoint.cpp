#include "watch/watch_checkpoint.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "roipca/errors.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

constexpr std::string_view kFormat = "roipca-watch-1";

// The bytes of the file before the estimator's state; little-endian, like the state.
struct Start {
  char format[16];
  std::int64_t rows_read;
};
static_assert(sizeof(Start) == 24 && std::is_trivially_copyable_v<Start>);

}  // namespace

void save_watch(const OnlinePca<double>& pca, std::int64_t rows_read, const std::string& path) {
  Start start = {.format = {}, .rows_read = rows_read};
  kFormat.copy(start.format, sizeof start.format);
  const std::vector<std::byte> state = pca.state();
  OutputFile file(path);
  file.write(std::span(reinterpret_cast<const char*>(&start), sizeof start));
  file.write(std::span(reinterpret_cast<const char*>(state.data()), state.size()));
  file.commit();
}

WatchCheckpoint load_watch(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": cannot read");
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Start start = {};
  if (bytes.size() >= sizeof start) std::memcpy(&start, bytes.data(), sizeof start);
  if (std::string_view(start.format, kFormat.size()) != kFormat || start.rows_read < 0) {
    throw FileError(path + ": not a checkpoint of roipca watch");
  }
  try {
    return {OnlinePca<double>::from_state(std::as_bytes(std::span(bytes).subspan(sizeof start))),
            start.rows_read};
  } catch (const std::invalid_argument& error) {
    throw FileError(path + ": " + error.what());
  }
}

}  // namespace roipca::cli
