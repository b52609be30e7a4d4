#include "fit_checkpoint.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"
#include "roipca/model_file.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

constexpr std::string_view kFormat = "roipca-fit-1";
constexpr std::string_view kPassFormat = "roipca-pass1";  // a checkpoint in a later pass
static_assert(kFormat.size() == kPassFormat.size());

// The bytes of the file before the estimator's state; little-endian, like the state.
struct Start {
  std::array<char, kFormat.size()> format;
  std::uint32_t fingerprint;
  std::int64_t fingerprint_rows;
};
static_assert(sizeof(Start) == 24 && std::is_trivially_copyable_v<Start>);

std::vector<char> all_bytes(const std::string& path) {
  const auto stream = open_stream(path);
  std::vector<char> bytes;
  constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
  std::size_t have = 0;
  do {
    bytes.resize(have + kAtOnce);
    have += stream->read_fully(std::span(bytes).subspan(have));
  } while (have == bytes.size());
  bytes.resize(have);
  return bytes;
}

// In a later pass, the file continues with the length of the model in bytes, the model, and the state of the
// refinement.
template <typename T>
FitCheckpoint<T> parse_pass(std::span<const std::byte> bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) throw FileError("the checkpoint is cut off");
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes = bytes.subspan(sizeof size);
  if (size > bytes.size()) throw FileError("the checkpoint is cut off");
  const Model<T> model = from_bytes<T>(bytes.first(size));
  return {.pca = OnlinePca<T>(model), .refinement = Refinement<T>::from_state(model, bytes.subspan(size))};
}

void write_start(OutputFile& file, std::string_view format, const InputFingerprint& start) {
  Start header = {.format = {}, .fingerprint = start.checksum(), .fingerprint_rows = start.rows()};
  format.copy(header.format.data(), format.size());
  file.write(std::span(reinterpret_cast<const char*>(&header), sizeof header));
}

void write_bytes(OutputFile& file, std::span<const std::byte> bytes) {
  file.write(std::span(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

template <typename T>
FitCheckpoint<T> parse(const std::vector<char>& bytes) {
  Start start = {};
  if (bytes.size() < sizeof start) throw FileError("not a checkpoint of roipca fit, or cut off");
  std::memcpy(&start, bytes.data(), sizeof start);
  const std::string_view format(start.format.data(), kFormat.size());
  if (format != kFormat && format != kPassFormat) {
    throw FileError("not a checkpoint of roipca fit: it does not begin with \"" + std::string(kFormat) +
                    "\"");
  }
  const auto rest = std::as_bytes(std::span(bytes).subspan(sizeof start));
  FitCheckpoint<T> result =
      format == kPassFormat ? parse_pass<T>(rest) : FitCheckpoint<T>{.pca = OnlinePca<T>::from_state(rest)};
  result.fingerprint_rows = start.fingerprint_rows;
  result.fingerprint = start.fingerprint;
  const std::int64_t most = std::min<std::int64_t>(result.rows(), InputFingerprint::kMostRows);
  if (result.fingerprint_rows != most) throw FileError("the checkpoint is damaged");
  return result;
}

}  // namespace

template <typename V>
void InputFingerprint::add_bytes(const V* numbers, Index count) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(V);
  checksum_ =
      static_cast<std::uint32_t>(::crc32_z(checksum_, reinterpret_cast<const Bytef*>(numbers), bytes));
}

template <typename T>
void InputFingerprint::add(const Rows<T>& rows) {
  const auto count = static_cast<Index>(std::min<std::int64_t>(rows.rows(), most_rows_ - rows_));
  for (Index i = 0; i < count; ++i) add_bytes(rows.row(i).data(), rows.cols());
  rows_ += count;
}

template <typename T>
void InputFingerprint::add(const SparseRows<T>& rows) {
  const auto count = static_cast<Index>(std::min<std::int64_t>(rows.rows(), most_rows_ - rows_));
  for (Index i = 0; i < count; ++i) {
    const std::int64_t length = rows.start(i + 1) - rows.start(i);
    add_bytes(&length, 1);
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
      const std::int64_t column = rows.column(e);
      const T value = rows.value(e);
      add_bytes(&column, 1);
      add_bytes(&value, 1);
    }
  }
  rows_ += count;
}

template <typename T>
void save_fit(const OnlinePca<T>& pca, const InputFingerprint& start, const std::string& path) {
  OutputFile file(path);
  write_start(file, kFormat, start);
  write_bytes(file, pca.state());
  file.commit();
}

template <typename T>
void save_fit(const Refinement<T>& refinement, const InputFingerprint& start, const std::string& path) {
  const std::vector<std::byte> model = to_bytes(refinement.model());
  const std::uint64_t size = model.size();
  OutputFile file(path);
  write_start(file, kPassFormat, start);
  write_bytes(file, std::as_bytes(std::span(&size, 1)));
  write_bytes(file, model);
  write_bytes(file, refinement.state());
  file.commit();
}

template <typename T>
FitCheckpoint<T> load_fit(const std::string& path) {
  try {
    return parse<T>(all_bytes(path));
  } catch (const FileError& error) {
    throw FileError(path + ": " + error.what());
  } catch (const std::invalid_argument& error) {
    throw FileError(path + ": " + error.what());
  }
}

template void InputFingerprint::add(const Rows<float>&);
template void InputFingerprint::add(const Rows<double>&);
template void InputFingerprint::add(const SparseRows<float>&);
template void InputFingerprint::add(const SparseRows<double>&);
template void save_fit(const OnlinePca<float>&, const InputFingerprint&, const std::string&);
template void save_fit(const OnlinePca<double>&, const InputFingerprint&, const std::string&);
template void save_fit(const Refinement<float>&, const InputFingerprint&, const std::string&);
template void save_fit(const Refinement<double>&, const InputFingerprint&, const std::string&);
template FitCheckpoint<float> load_fit(const std::string&);
template FitCheckpoint<double> load_fit(const std::string&);

}  // namespace roipca::cli
