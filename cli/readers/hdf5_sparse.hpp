/// Sparse matrices of HDF5 files, as AnnData writes them. Damaged files can crash the HDF5 library: use it in
/// a process of its own.
#pragma once

#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "readers/csr_arrays.hpp"

namespace roipca::cli {

/// The arrays of a group that is a CSR matrix: data, indices and indptr, with attributes for the form and the
/// shape. The file must outlive them. Throws FileError without the path.
template <typename T>
CsrArrays<T> open_hdf5_csr(hid_t file, const std::string& group, bool allow_external);

/// The names of the features of a matrix in an AnnData file: the index of its table `var`. Empty if there is
/// none, or one of another length.
std::vector<std::string> feature_names(hid_t file, const std::string& matrix, std::uint64_t features);

extern template CsrArrays<float> open_hdf5_csr(hid_t, const std::string&, bool);
extern template CsrArrays<double> open_hdf5_csr(hid_t, const std::string&, bool);

}  // namespace roipca::cli
