#include <filesystem>
#include <stdexcept>

#include "writers/byte_sink.hpp"
#include "writers/formats.hpp"

namespace roipca::cli {
namespace {

// Returns the extension before that of a compression.
std::string extension(const std::string& path) {
  if (path == "-") return ".csv";
  const std::string plain = path.substr(0, path.size() - packing_of(path).size());
  return std::filesystem::path(plain).extension().string();
}

bool is_parquet(const std::string& extension) { return extension == ".parquet" || extension == ".pq"; }

}  // namespace

void check_output_path(const std::string& path, bool has_ids) {
  const std::string end = extension(path);
  if (has_ids && end == ".npy") {
    throw std::invalid_argument("output \"" + path +
                                "\": .npy files cannot hold ids: use .csv, .tsv, .h5 or .parquet");
  }
  const bool is_text = end == ".csv" || end == ".tsv";
  const bool is_packed = !packing_of(path).empty();
  const bool is_binary = end == ".npy" || end == ".h5" || end == ".hdf5" || is_parquet(end);
  if (is_text || (!is_packed && is_binary)) return;
  throw std::invalid_argument(
      "output \"" + path +
      "\": the name must end in .npy, .csv, .tsv, .h5, .hdf5 or .parquet, or in .gz or "
      ".zst after .csv or .tsv");
}

template <typename T>
std::unique_ptr<RowWriter<T>> open_writer(const std::string& path, const std::vector<std::string>& names,
                                          const std::string& id_name) {
  check_output_path(path, !id_name.empty());
  const std::string end = extension(path);
  const auto columns = static_cast<Index>(names.size());
  if (end == ".npy") return npy_writer<T>(path, columns);
  if (end == ".csv") return csv_writer<T>(path, ',', names, id_name);
  if (end == ".tsv") return csv_writer<T>(path, '\t', names, id_name);
  if (is_parquet(end)) return parquet_writer<T>(path, names, id_name);
  return hdf5_writer<T>(path, columns, !id_name.empty());
}

template std::unique_ptr<RowWriter<float>> open_writer(const std::string&, const std::vector<std::string>&,
                                                       const std::string&);
template std::unique_ptr<RowWriter<double>> open_writer(const std::string&, const std::vector<std::string>&,
                                                        const std::string&);

}  // namespace roipca::cli
