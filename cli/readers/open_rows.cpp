#include "readers/open_rows.hpp"

#include <stdexcept>
#include <utility>

#include "readers/arrow.hpp"
#include "readers/binary.hpp"
#include "readers/chosen_rows.hpp"
#include "readers/hdf5.hpp"
#include "readers/json_lines.hpp"
#include "readers/sparse_files.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::string_view kHdf5Magic = "\x89HDF\r\n\x1a\n";
constexpr std::string_view kZipMagic = "PK\x03\x04";
constexpr std::string_view kMatrixMarketMagic = "%%MatrixMarket";
constexpr std::string_view kParquetMagic = "PAR1";
constexpr std::string_view kArrowMagic = "ARROW1";
constexpr std::string_view kModelMagic = R"({"__metadata__":{"format":"roipca-model")";

bool is_raw(const std::string& format) { return format.starts_with("raw"); }

// Refuses common formats that are not supported, by name.
void refuse_strangers(std::string_view start) {
  if (start.size() > 8 && start.substr(8).starts_with(kModelMagic)) {
    throw FileError("a roipca model, but rows of data are needed");
  }
  if (start.find('\0') != std::string_view::npos) {
    throw FileError("binary data of an unknown format (raw numbers need --format raw:TYPE:COLUMNS)");
  }
}

// Uses only the bytes that have arrived so far: the first rows may be short, and the next ones late.
std::string find_format(PeekedStream& stream) {
  constexpr std::size_t kEnough = 512;
  constexpr std::size_t kShortRow = 4;
  const std::string_view start = stream.peek(kShortRow, kEnough);
  if (start.empty()) throw FileError("there are no rows: the file is empty");
  if (start.starts_with(kNpyMagic)) return "npy";
  if (start.starts_with(kHdf5Magic)) return "hdf5";
  if (start.size() >= 4 && start[0] == 0 && start[1] == 0 && start[2] >= 0x08 && start[2] <= 0x0E)
    return "idx";
  if (start.starts_with(kZipMagic)) return "npz";
  if (start.starts_with(kMatrixMarketMagic)) return "mtx";
  if (start.starts_with(kParquetMagic)) return "parquet";
  if (start.starts_with(kArrowMagic)) return "arrow";
  if (start.starts_with('{') || start.starts_with('[')) return "jsonl";
  if (looks_like_svmlight(start)) return "svmlight";
  refuse_strangers(start);
  return "csv";
}

}  // namespace

void check(const InputFormat& format) {
  check(format.csv.choice);
  if (is_raw(format.format)) {
    raw_layout(format.format);
    return;
  }
  for (const char* known : {"auto", "npy", "csv", "tsv", "jsonl", "idx", "hdf5", "npz", "mtx", "svmlight",
                            "svmlight0", "parquet", "arrow"}) {
    if (format.format == known) return;
  }
  throw std::invalid_argument("--format \"" + format.format +
                              "\": must be auto, npy, csv, tsv, jsonl, idx, hdf5, npz, mtx, svmlight, "
                              "svmlight0, parquet, arrow or raw:TYPE:COLUMNS");
}

namespace {

bool is_table(const std::string& kind) { return kind == "csv" || kind == "tsv"; }
bool is_arrow(const std::string& kind) { return kind == "parquet" || kind == "arrow"; }

// Whether the reader itself selects columns, because some of them may be text.
bool chooses(const std::string& kind) { return is_table(kind) || is_arrow(kind) || kind == "jsonl"; }

// Opens a reader with all columns, unless the reader itself selects them.
template <typename T>
std::unique_ptr<RowReader<T>> open_kind(const std::string& kind, const std::string& path,
                                        std::unique_ptr<PeekedStream> stream, const InputFormat& format) {
  if (kind == "hdf5") {
    if (path == "-") throw FileError("an HDF5 file cannot be read from a pipe");
    return open_hdf5<T>(path, format.dataset, format.allow_external);
  }
  if (kind == "npz") return open_npz<T>(stream->release());
  if (kind == "mtx") return open_matrix_market<T>(std::move(stream), format.transpose);
  if (kind.starts_with("svmlight")) {
    return open_svmlight<T>(
        path, std::move(stream),
        {.features = format.features, .zero_based = kind == "svmlight0", .at_once = format.at_once});
  }
  if (is_arrow(kind)) {
    if (path == "-") throw FileError("a Parquet or Arrow file cannot be read from a pipe");
    return open_arrow<T>(path, format.csv.choice);
  }
  if (kind == "jsonl")
    return open_json_lines<T>(
        std::move(stream), {.choice = format.csv.choice, .gaps = format.csv.gaps, .at_once = format.at_once});
  if (is_table(kind)) {
    CsvOptions csv = format.csv;
    csv.max_columns = format.max_columns;
    csv.at_once = format.at_once;
    if (kind == "tsv" && !csv.delimiter) csv.delimiter = '\t';
    return open_csv<T>(std::move(stream), csv);
  }
  const BinaryLayout layout = kind == "npy"   ? read_npy_header(*stream)
                              : kind == "idx" ? read_idx_header(*stream)
                                              : raw_layout(kind);
  return open_binary<T>(std::move(stream), layout, Patience(format.at_once));
}

template <typename T>
std::unique_ptr<RowReader<T>> open_limited(const std::string& kind, const std::string& path,
                                           std::unique_ptr<PeekedStream> stream, const InputFormat& format) {
  auto reader = open_kind<T>(kind, path, std::move(stream), format);
  if (reader->columns() > format.max_columns) {
    throw FileError(std::to_string(reader->columns()) + " columns, more than --max-columns " +
                    std::to_string(format.max_columns));
  }
  return reader;
}

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_rows(const std::string& path, const InputFormat& format) {
  auto stream = open_stream(path, format.follow);
  const std::string kind = format.format == "auto" ? find_format(*stream) : format.format;
  if (format.transpose && kind != "mtx") throw FileError("--transpose is for MatrixMarket files only");
  const ColumnChoice& choice = format.csv.choice;
  if (chooses(kind) || choice.is_empty()) return open_limited<T>(kind, path, std::move(stream), format);
  return choose_columns<T>(open_limited<double>(kind, path, std::move(stream), format), choice);
}

template std::unique_ptr<RowReader<float>> open_rows(const std::string&, const InputFormat&);
template std::unique_ptr<RowReader<double>> open_rows(const std::string&, const InputFormat&);

}  // namespace roipca::cli
