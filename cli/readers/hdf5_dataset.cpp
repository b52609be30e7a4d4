#include "readers/hdf5_dataset.hpp"

#include <algorithm>
#include <climits>
#include <exception>
#include <string_view>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// The paths of all datasets that may hold the rows, and the exception that ended the search.
struct Search {
  std::vector<std::string> found;
  std::exception_ptr failure;
};

void add_candidate(hid_t root, const std::string& name, std::vector<std::string>& found) {
  const std::string of = " of the dataset \"" + name + "\": it is damaged, or was written by a newer HDF5";
  const Hdf5Handle dataset(H5Dopen2(root, name.c_str(), H5P_DEFAULT), H5Dclose, "read the header" + of);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose, "read the shape" + of);
  const int dimensions = H5Sget_simple_extent_ndims(space.id());
  if (dimensions >= 2 && holds_numbers(dataset.id())) found.push_back(name);
  constexpr std::string_view kSparse = "/indptr";
  if (dimensions == 1 && name.ends_with(kSparse))
    found.push_back(name.substr(0, name.size() - kSparse.size()));
  if (dimensions == 1 && name == kSparse.substr(1)) found.emplace_back("/");
}

// HDF5 calls this for each object of a file.
herr_t visit(hid_t root, const char* name, const H5O_info_t* info, void* data) {
  auto& search = *static_cast<Search*>(data);
  try {
    if (info->type == H5O_TYPE_DATASET) add_candidate(root, name, search.found);
    return 0;
  } catch (...) {
    search.failure = std::current_exception();  // must not pass through the C library
    return -1;
  }
}

std::string only_matrix(hid_t file) {
  Search search;
  if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &search, H5O_INFO_BASIC) < 0) {
    if (search.failure) std::rethrow_exception(search.failure);
    throw FileError("HDF5 cannot list the datasets: the file is damaged, or was written by a newer HDF5");
  }
  const std::vector<std::string>& found = search.found;
  if (found.size() == 1) return found.front();
  if (found.empty()) throw FileError("no dataset of numbers with rows and columns");
  std::string names;
  for (const std::string& name : found) names += (names.empty() ? "" : ", ") + name;
  throw FileError("several datasets: choose one with --dataset: " + names);
}

// HDF5 calls this before it follows a link into another file. The failure makes HDF5 stop.
herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

std::string refusal_of_links(const std::string& name) {
  return "dataset \"" + name +
         "\" takes its data from other files: use --allow-external if you trust this file";
}

}  // namespace

// Damaged files may claim larger numbers, or more bits than the bytes have; HDF5 then allocates up to 4 GB or
// crashes.
bool holds_numbers(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, "read the type");
  const H5T_class_t kind = H5Tget_class(type.id());
  const std::size_t bytes = H5Tget_size(type.id());
  const bool is_short = (kind == H5T_INTEGER && bytes <= sizeof(std::int64_t)) ||
                        (kind == H5T_FLOAT && bytes <= sizeof(long double));
  return is_short &&
         static_cast<std::size_t>(H5Tget_offset(type.id())) + H5Tget_precision(type.id()) <= CHAR_BIT * bytes;
}

Hdf5Handle open_hdf5_file(const std::string& path) {
  silence_hdf5();
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
          "open the file: it is cut off, damaged or not HDF5"};
}

std::string matrix_in(hid_t file, const std::string& name) {
  if (!name.empty()) return name;
  return H5Lexists(file, "X", H5P_DEFAULT) > 0 ? "X" : only_matrix(file);
}

Hdf5Handle link_access(bool allow_external, bool& was_refused) {
  Hdf5Handle access(H5Pcreate(H5P_LINK_ACCESS), H5Pclose, "describe the access");
  if (!allow_external) H5Pset_elink_cb(access.id(), refuse_link, &was_refused);
  return access;
}

bool is_group(hid_t file, const std::string& name, bool allow_external) {
  bool is_link = false;
  const Hdf5Handle access = link_access(allow_external, is_link);
  const hid_t id = H5Oopen(file, name.c_str(), access.id());
  if (is_link) throw FileError(refusal_of_links(name));
  const Hdf5Handle object(id, H5Oclose, "find \"" + name + "\"");
  return H5Iget_type(object.id()) == H5I_GROUP;
}

Hdf5Handle open_dataset(hid_t file, const std::string& name, bool allow_external, std::size_t cache) {
  constexpr std::size_t kSlots = 521;
  constexpr double kPreferFullyRead = 1.0;
  bool is_link = false;
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "describe the access");
  H5Pset_chunk_cache(access.id(), kSlots, cache, kPreferFullyRead);
  if (!allow_external) H5Pset_elink_cb(access.id(), refuse_link, &is_link);
  const hid_t id = H5Dopen2(file, name.c_str(), access.id());
  if (is_link) throw FileError(refusal_of_links(name));
  Hdf5Handle dataset(id, H5Dclose, "find a dataset \"" + name + "\"");
  const Hdf5Handle layout(H5Dget_create_plist(dataset.id()), H5Pclose, "read the layout");
  if (!allow_external &&
      (H5Pget_layout(layout.id()) == H5D_VIRTUAL || H5Pget_external_count(layout.id()) > 0)) {
    throw FileError(refusal_of_links(name));
  }
  return dataset;
}

template <typename T>
Hdf5Dataset<T>::Hdf5Dataset(hid_t file, const std::string& name, bool allow_external)
    : dataset_(open_dataset(file, name, allow_external)),
      space_(H5Dget_space(dataset_.id()), H5Sclose, "read the shape"),
      chunks_(dataset_.id(), name) {
  if (!holds_numbers(dataset_.id())) throw FileError("dataset \"" + name + "\" does not hold real numbers");
  read_shape(name);
}

template <typename T>
void Hdf5Dataset<T>::read_shape(const std::string& name) {
  const int dimensions = H5Sget_simple_extent_ndims(space_.id());
  if (dimensions < 2) {
    throw FileError("dataset \"" + name + "\" has " + std::to_string(std::max(0, dimensions)) +
                    " dimensions, not two: rows and columns");
  }
  shape_.resize(static_cast<std::size_t>(dimensions));
  H5Sget_simple_extent_dims(space_.id(), shape_.data(), nullptr);
  constexpr hsize_t kMost = hsize_t{1} << 40U;
  hsize_t columns = 1;
  for (std::size_t i = 1; i < shape_.size(); ++i) {
    if (shape_[i] != 0 && columns > kMost / shape_[i]) throw FileError("the shape is too large");
    columns *= shape_[i];
  }
  if (shape_[0] == 0 || columns == 0) throw FileError("there are no rows: the dataset is empty");
  columns_ = columns;
}

template <typename T>
std::uint64_t Hdf5Dataset<T>::rows_in_chunk() const {
  const Hdf5Handle layout(H5Dget_create_plist(dataset_.id()), H5Pclose, "read the layout");
  if (H5Pget_layout(layout.id()) != H5D_CHUNKED) return 1;
  std::vector<hsize_t> chunk(shape_.size(), 1);
  if (H5Pget_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data()) < 0) return 1;
  return std::clamp<hsize_t>(chunk[0], 1, shape_[0]);
}

template <typename T>
std::uint64_t Hdf5Dataset<T>::rows_at_once(std::uint64_t most_bytes) const {
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 21U;  // bytes: large beside the cost of a call
  const std::uint64_t row_bytes = columns_ * sizeof(T);
  const std::uint64_t chunk = rows_in_chunk();
  const std::uint64_t most = std::max<std::uint64_t>(1, most_bytes / row_bytes);
  if (chunk >= most) return std::min(most, rows());
  const std::uint64_t chunks = std::max<std::uint64_t>(1, std::min(kEnough / row_bytes, most) / chunk);
  return std::min(chunks * chunk, rows());
}

template <typename T>
void Hdf5Dataset<T>::read(std::uint64_t first, std::uint64_t count, T* to) {
  std::vector<hsize_t> start(shape_.size(), 0);
  std::vector<hsize_t> size = shape_;
  start[0] = first;
  size[0] = count;
  chunks_.check(first, count);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose,
                          "describe memory");
  const bool done =
      H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >= 0 &&
      H5Dread(dataset_.id(), hdf5_type<T>(), memory.id(), space_.id(), H5P_DEFAULT, to) >= 0;
  if (!done) {
    throw FileError("row " + std::to_string(first) + ": HDF5 cannot read this row and the next " +
                    std::to_string(count - 1) + ": " + chunks_.reason());
  }
}

template class Hdf5Dataset<float>;
template class Hdf5Dataset<double>;

}  // namespace roipca::cli
