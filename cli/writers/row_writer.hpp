/// Rows into a file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::cli {

/// The file appears when it is published; a writer that is destroyed before leaves nothing behind. All
/// functions throw FileError that names the path.
template <typename T>
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// `ids` are those of the rows if the writer was opened with a name for them, and otherwise none.
  virtual void write(const Rows<T>& rows, std::span<const std::string> ids = {}) = 0;
  /// Writes everything to disk. After it, publish() hardly fails.
  virtual void complete() = 0;
  /// Gives the file its name.
  virtual void publish() = 0;

  void finish() {
    complete();
    publish();
  }
};

/// Throws std::invalid_argument unless `path` ends in .npy, .csv, .tsv, .h5, .hdf5, .parquet or .pq, or in
/// .gz or .zst after .csv or .tsv, or is "-", which is CSV on standard output; and for .npy if rows have ids,
/// which such a file cannot hold.
void check_output_path(const std::string& path, bool has_ids = false);

/// Rows of as many numbers as there are names, which only text and Parquet files hold. `id_name` is the name
/// of the ids of rows, which are the first column of these files and the dataset "id" of HDF5; empty if rows
/// have none.
template <typename T>
std::unique_ptr<RowWriter<T>> open_writer(const std::string& path, const std::vector<std::string>& names,
                                          const std::string& id_name = {});

extern template std::unique_ptr<RowWriter<float>> open_writer(const std::string&,
                                                              const std::vector<std::string>&,
                                                              const std::string&);
extern template std::unique_ptr<RowWriter<double>> open_writer(const std::string&,
                                                               const std::vector<std::string>&,
                                                               const std::string&);

}  // namespace roipca::cli
