/// Rows into a file.
#pragma once

#include <memory>
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
  virtual void write(const Rows<T>& rows) = 0;
  /// Writes everything to disk. After it, publish() hardly fails.
  virtual void complete() = 0;
  /// Gives the file its name.
  virtual void publish() = 0;

  void finish() {
    complete();
    publish();
  }
};

/// Throws std::invalid_argument unless `path` ends in .npy, .csv, .tsv, .h5 or .hdf5 or is "-", which is CSV
/// on standard output.
void check_output_path(const std::string& path);

/// Rows of as many numbers as there are names, which only text files hold.
template <typename T>
std::unique_ptr<RowWriter<T>> open_writer(const std::string& path, const std::vector<std::string>& names);

extern template std::unique_ptr<RowWriter<float>> open_writer(const std::string&,
                                                              const std::vector<std::string>&);
extern template std::unique_ptr<RowWriter<double>> open_writer(const std::string&,
                                                               const std::vector<std::string>&);

}  // namespace roipca::cli
