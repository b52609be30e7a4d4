/// Writes a random sample of the rows of a stream to a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "roipca/sparse.hpp"
#include "row_choice.hpp"
#include "writers/row_writer.hpp"

namespace roipca::cli {

/// Keeps up to 1,000 rows, in at most 16 MB unless two rows need more, and writes them in the order of the
/// stream. A resumed fit reads all rows again, so checkpoints do not contain the sample.
template <typename T>
class RowSample {
 public:
  /// Creates a temporary file beside `path`, so that a wrong path fails before rows are read. Throws
  /// FileError.
  RowSample(const std::string& path, Index columns, std::vector<std::string> names);

  /// Adds the next rows of the stream.
  void pass(const Rows<T>& rows);
  void pass(const SparseRows<T>& rows);

  /// Write the file, and give it its name, as in RowWriter. Throw FileError.
  void complete();
  void publish() { writer_->publish(); }

 private:
  std::unique_ptr<RowWriter<T>> writer_;
  RowChoice choice_;
  OwnedRows<T> kept_;  // one row per place
};

extern template class RowSample<float>;
extern template class RowSample<double>;

}  // namespace roipca::cli
