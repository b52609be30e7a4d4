/// Checks the chunks of an HDF5 dataset before they are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"

namespace roipca::cli {

/// The index of the chunks says how many bytes of the file each one takes and which filters it did not pass
/// through. In most files it has no checksum, and HDF5 trusts it: damaged, it makes HDF5 return other
/// numbers, ask for gigabytes, or crash. The dataset must outlive the object.
class Hdf5Chunks {
 public:
  /// Throws FileError without the path if the sizes of all chunks together cannot be right. Goes over
  /// the index.
  Hdf5Chunks(hid_t dataset, std::string name);

  /// Checks the chunks of the rows [first, first + count), or of these entries of a vector, except for chunks
  /// before the last one checked. Reads those that passed through filters, without undoing the filters.
  /// Throws FileError.
  void check(hsize_t first, hsize_t count);

  /// Returns the end of a message about rows that HDF5 cannot read: the dataset and the likely reason.
  std::string reason() const;

 private:
  struct Filter {
    H5Z_filter_t id;
    std::string name;
  };

  void check_sizes(hid_t space) const;
  bool is_partial(const std::vector<hsize_t>& offset) const;  // whether the chunk reaches beyond the dataset
  void check_chunk(const std::vector<hsize_t>& offset);
  [[noreturn]] void refuse(const std::string& why) const;

  hid_t dataset_;
  std::string name_;
  std::vector<hsize_t> shape_;
  std::vector<hsize_t> chunk_;  // shape of a chunk; empty if the dataset has no chunks
  std::vector<Filter> filters_;
  bool filters_partial_ = true;    // whether chunks at the end pass through the filters, too
  std::uint64_t chunk_bytes_ = 0;  // without filters
  hsize_t next_ = 0;               // first row whose chunk was not checked
  std::vector<char> bytes_;        // scratch
};

}  // namespace roipca::cli
