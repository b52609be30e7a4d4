// Replaces hdf5.cpp if the build has no HDF5.
#include "readers/hdf5.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {

template <typename T>
std::unique_ptr<RowReader<T>> open_hdf5(const std::string& /*path*/, const std::string& /*dataset*/,
                                        bool /*allow_external*/) {
  throw FileError("cannot read HDF5 files: this roipca was built without HDF5");
}

template std::unique_ptr<RowReader<float>> open_hdf5(const std::string&, const std::string&, bool);
template std::unique_ptr<RowReader<double>> open_hdf5(const std::string&, const std::string&, bool);

}  // namespace roipca::cli
