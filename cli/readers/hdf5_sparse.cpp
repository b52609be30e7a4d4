#include "readers/hdf5_sparse.hpp"

#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "readers/hdf5_chunks.hpp"
#include "readers/hdf5_dataset.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// Cache for decompressed chunks of a vector, which is read in pieces that end anywhere in a chunk.
constexpr std::size_t kCache = std::size_t{1} << 24U;

// Reads strings of fixed length, or of variable length, which HDF5 allocates.
std::optional<std::vector<std::string>> strings_in(hid_t type, std::uint64_t count, auto&& read) {
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  constexpr std::uint64_t kMost = 10'000'000;
  if (count > kMost) return std::nullopt;
  std::vector<std::string> result;
  if (H5Tis_variable_str(type) > 0) {
    const Hdf5Handle memory(H5Tcopy(H5T_C_S1), H5Tclose, "describe text");
    H5Tset_size(memory.id(), H5T_VARIABLE);
    H5Tset_cset(memory.id(), H5Tget_cset(type));
    std::vector<char*> texts(count, nullptr);
    if (read(memory.id(), texts.data()) < 0) return std::nullopt;
    for (char* text : texts) {
      result.emplace_back(text == nullptr ? "" : text);
      H5free_memory(text);
    }
    return result;
  }
  const std::size_t size = H5Tget_size(type);
  constexpr std::size_t kLongest = 65536;
  if (size > kLongest) return std::nullopt;
  std::vector<char> texts(count * size);
  if (read(type, texts.data()) < 0) return std::nullopt;
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* text = texts.data() + i * size;
    result.emplace_back(text, ::strnlen(text, size));
  }
  return result;
}

// Returns an empty handle if there is no such attribute.
Hdf5Handle attribute_of(hid_t file, const std::string& object, const char* name, bool allow_external) {
  bool was_refused = false;
  const Hdf5Handle access = link_access(allow_external, was_refused);
  const hid_t id = H5Aopen_by_name(file, object.c_str(), name, H5P_DEFAULT, access.id());
  return id < 0 ? Hdf5Handle() : Hdf5Handle(id, H5Aclose, "open an attribute");
}

std::string text_attribute(hid_t file, const std::string& object, const char* name, bool allow_external) {
  const Hdf5Handle attribute = attribute_of(file, object, name, allow_external);
  if (attribute.id() < 0) return {};
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose, "read the type of an attribute");
  const auto texts = strings_in(type.id(), 1, [&](hid_t memory, void* to) {
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose, "read an attribute");
    return H5Sget_simple_extent_npoints(space.id()) == 1 ? H5Aread(attribute.id(), memory, to) : herr_t{-1};
  });
  return texts ? texts->front() : std::string();
}

bool shape_attribute(hid_t file, const std::string& object, const char* name, bool allow_external,
                     std::int64_t (&shape)[2]) {
  const Hdf5Handle attribute = attribute_of(file, object, name, allow_external);
  if (attribute.id() < 0) return false;
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose, "read an attribute");
  return H5Sget_simple_extent_npoints(space.id()) == 2 &&
         H5Aread(attribute.id(), H5T_NATIVE_INT64, static_cast<void*>(shape)) >= 0;
}

template <typename V>
hid_t memory_type() {
  if constexpr (std::is_same_v<V, std::int64_t>) {
    return H5T_NATIVE_INT64;
  } else {
    return hdf5_type<V>();
  }
}

template <typename V>
class Hdf5Vector : public VectorSource<V> {
 public:
  Hdf5Vector(hid_t file, const std::string& name, bool allow_external)
      : name_(name),
        dataset_(open_dataset(file, name, allow_external, kCache)),
        space_(H5Dget_space(dataset_.id()), H5Sclose, "read the shape of " + name),
        chunks_(dataset_.id(), name) {
    const Hdf5Handle type(H5Dget_type(dataset_.id()), H5Tclose, "read the type of " + name);
    if (!holds_numbers(dataset_.id()) ||
        (std::is_same_v<V, std::int64_t> && H5Tget_class(type.id()) != H5T_INTEGER)) {
      throw FileError(name + " does not hold " +
                      (std::is_same_v<V, std::int64_t> ? "whole numbers" : "real numbers"));
    }
    if (H5Sget_simple_extent_ndims(space_.id()) != 1)
      throw FileError(name + " is not a one-dimensional array");
    H5Sget_simple_extent_dims(space_.id(), &size_, nullptr);
  }

  std::uint64_t size() const override { return size_; }

  void read(std::span<V> to) override {
    const hsize_t count = to.size();
    if (count == 0) return;
    chunks_.check(next_, count);
    const Hdf5Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "describe memory");
    const bool done =
        count <= size_ - next_ &&
        H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, &next_, nullptr, &count, nullptr) >= 0 &&
        H5Dread(dataset_.id(), memory_type<V>(), memory.id(), space_.id(), H5P_DEFAULT, to.data()) >= 0;
    if (!done) {
      throw FileError("HDF5 cannot read " + name_ + " from entry " + std::to_string(next_) + ": " +
                      chunks_.reason());
    }
    next_ += count;
  }

 private:
  std::string name_;
  Hdf5Handle dataset_;
  Hdf5Handle space_;
  Hdf5Chunks chunks_;
  hsize_t size_ = 0;
  hsize_t next_ = 0;
};

}  // namespace

template <typename T>
CsrArrays<T> open_hdf5_csr(hid_t file, const std::string& group, bool allow_external) {
  std::string form = text_attribute(file, group, "encoding-type", allow_external);
  if (form.empty())
    form = text_attribute(file, group, "h5sparse_format", allow_external);  // written by anndata before 0.7
  if (form == "csc_matrix" || form == "csc") {
    throw FileError("\"" + group +
                    "\" is stored by columns (CSC), so its rows cannot be read one by one: store it by rows, "
                    "with adata.X = adata.X.tocsr()");
  }
  if (form != "csr_matrix" && form != "csr") {
    throw FileError(
        "\"" + group +
        "\" is a group, but not a sparse matrix: it has no encoding-type csr_matrix. --dataset chooses "
        "a matrix, such as X or layers/counts");
  }
  std::int64_t shape[2] = {};
  if (!shape_attribute(file, group, "shape", allow_external, shape) &&
      !shape_attribute(file, group, "h5sparse_shape", allow_external, shape)) {
    throw FileError("\"" + group + "\" has no shape of two whole numbers");
  }
  using Indices = Hdf5Vector<std::int64_t>;
  return {.rows = shape[0],
          .columns = shape[1],
          .starts = std::make_unique<Indices>(file, group + "/indptr", allow_external),
          .indices = std::make_unique<Indices>(file, group + "/indices", allow_external),
          .values = std::make_unique<Hdf5Vector<T>>(file, group + "/data", allow_external)};
}

std::vector<std::string> feature_names(hid_t file, const std::string& matrix, std::uint64_t features) {
  std::string_view path = matrix;
  while (path.starts_with('/')) path.remove_prefix(1);
  const bool is_raw = path == "raw/X";
  if (path != "X" && !path.starts_with("layers/") && !is_raw) return {};
  const std::string table = is_raw ? "raw/var" : "var";
  bool was_refused = false;
  const Hdf5Handle access = link_access(false, was_refused);
  if ((is_raw && H5Lexists(file, "raw", access.id()) <= 0) ||
      H5Lexists(file, table.c_str(), access.id()) <= 0) {
    return {};
  }
  std::string index = text_attribute(file, table, "_index", false);
  if (index.empty()) index = "_index";
  const std::string name = table + "/" + index;
  if (H5Lexists(file, name.c_str(), access.id()) <= 0 || is_group(file, name, false)) return {};
  const Hdf5Handle dataset = open_dataset(file, name, false);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose, "read the shape of " + name);
  if (H5Sget_simple_extent_npoints(space.id()) != static_cast<hssize_t>(features)) return {};
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose, "read the type of " + name);
  auto names = strings_in(type.id(), features, [&](hid_t memory, void* to) {
    return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
  return names ? std::move(*names) : std::vector<std::string>();
}

template CsrArrays<float> open_hdf5_csr(hid_t, const std::string&, bool);
template CsrArrays<double> open_hdf5_csr(hid_t, const std::string&, bool);

}  // namespace roipca::cli
