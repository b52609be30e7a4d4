// Replaces hdf5.cpp if the build has no HDF5.
#include "roipca/errors.hpp"
#include "writers/formats.hpp"

namespace roipca::cli {

template <typename T>
std::unique_ptr<RowWriter<T>> hdf5_writer(const std::string& path, Index /*columns*/, bool /*has_ids*/) {
  throw FileError(path + ": cannot write HDF5 files: this roipca was built without HDF5");
}

template std::unique_ptr<RowWriter<float>> hdf5_writer(const std::string&, Index, bool);
template std::unique_ptr<RowWriter<double>> hdf5_writer(const std::string&, Index, bool);

}  // namespace roipca::cli
