#include "readers/hdf5_chunks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::uint64_t kChecksum = 4;  // bytes that fletcher32 appends

std::uint64_t bytes_of_file(hid_t dataset) {
  const Hdf5Handle file(H5Iget_file_id(dataset), H5Fclose, "find the file of a dataset");
  hsize_t size = 0;
  if (H5Fget_filesize(file.id(), &size) < 0) throw FileError("HDF5 cannot read the size of the file");
  return size;
}

}  // namespace

Hdf5Chunks::Hdf5Chunks(hid_t dataset, std::string name) : dataset_(dataset), name_(std::move(name)) {
  const Hdf5Handle layout(H5Dget_create_plist(dataset), H5Pclose, "read the layout");
  if (H5Pget_layout(layout.id()) != H5D_CHUNKED) return;
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, "read the shape");
  shape_.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  H5Sget_simple_extent_dims(space.id(), shape_.data(), nullptr);
  std::vector<hsize_t> chunk(shape_.size());
  if (shape_.empty() || H5Pget_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data()) < 0) return;
  if (std::find(chunk.begin(), chunk.end(), hsize_t{0}) != chunk.end()) return;
  for (int i = 0; i < H5Pget_nfilters(layout.id()); ++i) {
    unsigned flags = 0;
    std::size_t parameters = 0;
    std::array<char, 64> text{};
    const H5Z_filter_t id = H5Pget_filter2(layout.id(), static_cast<unsigned>(i), &flags, &parameters,
                                           nullptr, text.size() - 1, text.data(), nullptr);
    filters_.push_back({id, text.data()});
  }
  unsigned options = 0;
  H5Pget_chunk_opts(layout.id(), &options);
  filters_partial_ = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) == 0;
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, "read the type");
  chunk_bytes_ = H5Tget_size(type.id());
  for (const hsize_t length : chunk) chunk_bytes_ *= length;  // below 4 GiB: HDF5 refuses larger chunks
  chunk_ = std::move(chunk);
  check_sizes(space.id());
}

void Hdf5Chunks::refuse(const std::string& why) const {
  throw FileError("the chunk index of dataset \"" + name_ + "\" is damaged: " + why);
}

void Hdf5Chunks::check_sizes(hid_t space) const {
  hsize_t count = 0;
  if (H5Dget_num_chunks(dataset_, space, &count) < 0) refuse("HDF5 cannot read it");
  const std::uint64_t size = H5Dget_storage_size(dataset_);
  const std::uint64_t have = bytes_of_file(dataset_);
  if (size > have) {
    refuse("it says that the chunks take " + std::to_string(size) + " bytes, but the file has " +
           std::to_string(have));
  }
  if (filters_.empty() && size != count * chunk_bytes_) {
    refuse("it says that " + std::to_string(count) + " chunks of " + std::to_string(chunk_bytes_) +
           " bytes take " + std::to_string(size) + " bytes");
  }
}

void Hdf5Chunks::check(hsize_t first, hsize_t count) {
  if (chunk_.empty() || filters_.empty()) return;
  const hsize_t end = std::min(first + count, shape_[0]);
  std::vector<hsize_t> offset(shape_.size(), 0);
  for (offset[0] = std::max(next_, first / chunk_[0] * chunk_[0]); offset[0] < end;) {
    check_chunk(offset);
    // The next chunk: like a number whose last digit is that of the last dimension.
    std::size_t i = shape_.size() - 1;
    while (i > 0 && offset[i] + chunk_[i] >= shape_[i]) offset[i--] = 0;
    offset[i] += chunk_[i];
  }
  next_ = std::max(next_, offset[0]);
}

bool Hdf5Chunks::is_partial(const std::vector<hsize_t>& offset) const {
  for (std::size_t i = 0; i < offset.size(); ++i) {
    if (offset[i] + chunk_[i] > shape_[i]) return true;
  }
  return false;
}

void Hdf5Chunks::check_chunk(const std::vector<hsize_t>& offset) {
  hsize_t size = 0;
  std::uint32_t skipped = 0;  // filters, a bit each
  if (H5Dget_chunk_storage_size(dataset_, offset.data(), &size) < 0 || size == 0) return;  // not in the file
  bytes_.resize(size);
  if (H5Dread_chunk(dataset_, H5P_DEFAULT, offset.data(), &skipped, bytes_.data()) < 0) return;
  if (!filters_partial_ && size == chunk_bytes_ && is_partial(offset)) return;
  bool is_packed = false;
  std::uint64_t expected = chunk_bytes_;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if ((skipped >> i & 1U) != 0) continue;
    if (filters_[i].id == H5Z_FILTER_FLETCHER32) {
      expected += kChecksum;
    } else if (filters_[i].id != H5Z_FILTER_SHUFFLE) {
      is_packed = true;
    }
  }
  const std::uint64_t least = expected - chunk_bytes_ + 1;
  if (is_packed ? size >= least : size == expected) return;
  refuse("the chunk of row " + std::to_string(offset[0]) + " has " + std::to_string(size) + " bytes, but " +
         (is_packed ? "at least " + std::to_string(least) : std::to_string(expected)) + " are needed");
}

std::string Hdf5Chunks::reason() const {
  for (const Filter& filter : filters_) {
    if (H5Zfilter_avail(filter.id) > 0) continue;
    return "dataset \"" + name_ + "\" was packed by the filter " + std::to_string(filter.id) + " (" +
           filter.name + "), which this program does not have";
  }
  return "dataset \"" + name_ + "\" is damaged or cut off";
}

}  // namespace roipca::cli
