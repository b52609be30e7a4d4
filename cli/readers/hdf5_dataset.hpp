/// A dataset of an HDF5 file. Damaged files can crash the HDF5 library: use it in a process of its own.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"

namespace roipca::cli {

/// All functions throw FileError without the path.
template <typename T>
class Hdf5Dataset {
 public:
  /// The parameters are those of open_hdf5.
  Hdf5Dataset(const std::string& path, const std::string& name, bool allow_external);

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

  Hdf5Handle file_;
  Hdf5Handle dataset_;
  Hdf5Handle space_;
  std::vector<hsize_t> shape_;
  std::uint64_t columns_ = 0;
};

extern template class Hdf5Dataset<float>;
extern template class Hdf5Dataset<double>;

}  // namespace roipca::cli
