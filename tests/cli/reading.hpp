/// Helpers to read bytes in memory, and temporary files for readers that need one.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "linalg/eigen_types.hpp"
#include "readers/byte_stream.hpp"
#include "readers/row_reader.hpp"
#include "support/files.hpp"

namespace roipca::cli {

inline std::unique_ptr<PeekedStream> stream_of(const std::string& bytes) {
  return unpacked(memory_stream(bytes));
}

/// A stream that cannot seek, does not know its size, and returns at most three bytes at a time.
class Pipe : public ByteStream {
 public:
  explicit Pipe(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(std::span<char> bytes) override {
    const std::size_t count = bytes_.copy(bytes.data(), std::min<std::size_t>(3, bytes.size()), position_);
    position_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

inline std::unique_ptr<PeekedStream> pipe_of(const std::string& bytes) {
  return unpacked(std::make_unique<Pipe>(bytes));
}

/// The rows of a block, sparse ones expanded.
template <typename T>
RowMatrix<T> dense_rows(const PlacedRows<T>& block) {
  RowMatrix<T> dense = RowMatrix<T>::Zero(block.count, block.columns());
  if (!block.is_sparse) {
    dense = as_eigen(block.rows.slice(0, block.count));
    return dense;
  }
  const SparseRows<T> rows = block.sparse.view();
  for (Index i = 0; i < block.count; ++i) {
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) dense(i, rows.column(e)) += rows.value(e);
  }
  return dense;
}

/// Returns all good rows, read `at_once` at a time, and puts the bad ones in `bad`.
template <typename T>
RowMatrix<T> all_rows(RowReader<T>& reader, std::vector<BadRow>* bad = nullptr, Index at_once = 2) {
  RowMatrix<T> all(0, reader.columns());
  PlacedRows<T> block;
  while (true) {
    block.rows.resize(at_once, reader.columns());
    block.count = 0;
    block.bad.clear();
    reader.read(block);
    if (block.taken() == 0) return all;
    all.conservativeResize(all.rows() + block.count, Eigen::NoChange);
    all.bottomRows(block.count) = dense_rows(block);
    if (bad != nullptr) bad->insert(bad->end(), block.bad.begin(), block.bad.end());
  }
}

using support::refusal_of;

/// A folder for one test.
class Folder {
 public:
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
    return file(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  support::TemporaryFolder folder_;
};

}  // namespace roipca::cli
