/// A dataset of an HDF5 file. Damaged files can crash the HDF5 library: use it in a process of its own.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"

namespace roipca::cli {

/// Opens a file to read. Throws FileError without the path, as all functions here do.
Hdf5Handle open_hdf5_file(const std::string& path);

/// The path of the rows inside a file: `name`, or, if that is empty, the matrix X of an AnnData file, or else
/// the only matrix: a dataset of two dimensions or more, or a group with the arrays of a sparse matrix.
std::string matrix_in(hid_t file, const std::string& name);

/// How to access links: unless allowed, one into another file is not followed, and sets `was_refused`, which
/// must outlive the result.
Hdf5Handle link_access(bool allow_external, bool& was_refused);

/// Whether the object is a group. Follows links into other files only where that is allowed.
bool is_group(hid_t file, const std::string& name, bool allow_external);

/// Opens a dataset. Unless external data are allowed, refuses one that takes its data from other files.
/// `cache` is the number of bytes for unpacked chunks.
Hdf5Handle open_dataset(hid_t file, const std::string& name, bool allow_external,
                        std::size_t cache = std::size_t{1} << 20U);

/// Whether a dataset has numbers as machines have them.
bool holds_numbers(hid_t dataset);

/// Rows of a dataset. The file must outlive it.
template <typename T>
class Hdf5Dataset {
 public:
  Hdf5Dataset(hid_t file, const std::string& name, bool allow_external);

  std::uint64_t rows() const { return shape_[0]; }
  /// Numbers in a row.
  std::uint64_t columns() const { return columns_; }

  /// Returns how many rows to read at once. A compressed chunk is decompressed once for every call that needs
  /// a part of it, so this is a multiple of the rows in a chunk, as long as they take at most `most_bytes`.
  std::uint64_t rows_at_once(std::uint64_t most_bytes) const;

  /// Fills `to` with `count` rows from row `first` on.
  void read(std::uint64_t first, std::uint64_t count, T* to);

 private:
  void read_shape(const std::string& name);
  std::uint64_t rows_in_chunk() const;

  Hdf5Handle dataset_;
  Hdf5Handle space_;
  std::vector<hsize_t> shape_;
  std::uint64_t columns_ = 0;
};

extern template class Hdf5Dataset<float>;
extern template class Hdf5Dataset<double>;

}  // namespace roipca::cli
