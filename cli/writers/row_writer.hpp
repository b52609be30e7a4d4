/// Writes rows to a file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::cli {

/// The file appears at `path` when it is published; a writer that is destroyed earlier leaves nothing behind.
/// All functions throw FileError that names the path.
template <typename T>
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// `ids` are the ids of the rows if the writer was opened with a name for them; otherwise it is empty.
  virtual void write(const Rows<T>& rows, std::span<const std::string> ids = {}) = 0;
  /// Writes everything to disk. After this, publish() hardly ever fails.
  virtual void complete() = 0;
  /// Gives the file its name.
  virtual void publish() = 0;

  void finish() {
    complete();
    publish();
  }
};

/// Throws std::invalid_argument unless `path` ends in .npy, .csv, .tsv, .h5, .hdf5, .parquet or .pq (.csv and
/// .tsv may be followed by .gz or .zst), or is "-", which is CSV on standard output. Also throws for .npy if
/// rows have ids, which such a file cannot hold.
void check_output_path(const std::string& path, bool has_ids = false);

/// Opens a writer of rows with one number per name. Only text and Parquet files store the names. `id_name` is
/// the name of the ids, which are the first column of these files and the dataset "id" of HDF5; empty if rows
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
