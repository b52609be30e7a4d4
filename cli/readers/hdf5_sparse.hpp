/// Sparse matrices of HDF5 files, as AnnData writes them. Damaged files can crash the HDF5 library: use it in
/// a separate process.
#pragma once

#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "readers/csr_arrays.hpp"

namespace roipca::cli {

/// Opens a group with a CSR matrix: the arrays data, indices and indptr, and attributes for the kind of
/// matrix and its shape. The file must outlive the arrays. Throws FileError without the path.
template <typename T>
CsrArrays<T> open_hdf5_csr(hid_t file, const std::string& group, bool allow_external);

/// Returns the names of the features of a matrix in an AnnData file, from the index of its table `var`. Empty
/// if there is no such index, or its length differs from `features`.
std::vector<std::string> feature_names(hid_t file, const std::string& matrix, std::uint64_t features);

extern template CsrArrays<float> open_hdf5_csr(hid_t, const std::string&, bool);
extern template CsrArrays<double> open_hdf5_csr(hid_t, const std::string&, bool);

}  // namespace roipca::cli
