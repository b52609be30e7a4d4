/// A file with a random sample of the rows of a stream.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "roipca/sparse.hpp"
#include "row_choice.hpp"
#include "writers/row_writer.hpp"

namespace roipca::cli {

/// Keeps up to 1,000 rows, in at most 16 MB unless two rows need more, and writes them in the order of the
/// stream. Resuming a fit reads all rows again, so the sample needs no place in a checkpoint.
template <typename T>
class RowSample {
 public:
  /// Tries to create a file beside `path`, so that a wrong path fails before the rows are read. Throws
  /// FileError.
  RowSample(const std::string& path, Index columns, std::vector<std::string> names);

  /// Passes the next rows of the stream.
  void pass(const Rows<T>& rows);
  void pass(const SparseRows<T>& rows);

  /// Write the file and give it its name, as RowWriter does. Throw FileError.
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
