/// Datasets of HDF5 files. Damaged files can crash the HDF5 library: use it in a separate process.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "readers/hdf5_chunks.hpp"

namespace roipca::cli {

/// Opens a file for reading. Throws FileError without the path, as all functions here do.
Hdf5Handle open_hdf5_file(const std::string& path);

/// Returns the path of the matrix inside a file: `name` or, if that is empty, X of an AnnData file, or else
/// the only matrix. A matrix is a dataset of at least two dimensions, or a group with the arrays of a sparse
/// matrix.
std::string matrix_in(hid_t file, const std::string& name);

/// Returns the property list to access links with. Unless allowed, links into other files are not followed;
/// an attempt sets `was_refused`, which must outlive the result.
Hdf5Handle link_access(bool allow_external, bool& was_refused);

/// Whether the object is a group. Follows links into other files only if allowed.
bool is_group(hid_t file, const std::string& name, bool allow_external);

/// Opens a dataset. Unless allowed, refuses one with data in other files. `cache` is the number of bytes for
/// decompressed chunks.
Hdf5Handle open_dataset(hid_t file, const std::string& name, bool allow_external,
                        std::size_t cache = std::size_t{1} << 20U);

/// Whether a dataset holds integers or floating-point numbers of a supported size.
bool holds_numbers(hid_t dataset);

/// Reads rows of a dataset. The file must outlive the object.
template <typename T>
class Hdf5Dataset {
 public:
  Hdf5Dataset(hid_t file, const std::string& name, bool allow_external);

  std::uint64_t rows() const { return shape_[0]; }
  /// Number of columns.
  std::uint64_t columns() const { return columns_; }

  /// Returns the number of rows to read at once. Every call that needs part of a compressed chunk
  /// decompresses all of it, so this is a multiple of the rows per chunk, as long as they take at most
  /// `most_bytes`.
  std::uint64_t rows_at_once(std::uint64_t most_bytes) const;

  /// Reads `count` rows, starting with row `first`, into `to`.
  void read(std::uint64_t first, std::uint64_t count, T* to);

 private:
  void read_shape(const std::string& name);
  std::uint64_t rows_in_chunk() const;

  Hdf5Handle dataset_;
  Hdf5Handle space_;
  Hdf5Chunks chunks_;
  std::vector<hsize_t> shape_;
  std::uint64_t columns_ = 0;
};

extern template class Hdf5Dataset<float>;
extern template class Hdf5Dataset<double>;

}  // namespace roipca::cli
