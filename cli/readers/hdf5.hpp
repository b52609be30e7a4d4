/// Rows from a dataset of an HDF5 file, or from a sparse matrix of an AnnData file.
#pragma once

#include <memory>
#include <string>

#include "readers/row_reader.hpp"

namespace roipca::cli {

/// `dataset` is the path of a dataset, or of a group that is a CSR matrix, inside the file; empty for X, or
/// the only one. Unless external data are allowed, refuses a dataset that takes its data from other files,
/// which may be any file that the user can read. Throws FileError without the path, also if this build has no
/// HDF5.
template <typename T>
std::unique_ptr<RowReader<T>> open_hdf5(const std::string& path, const std::string& dataset,
                                        bool allow_external = false);

extern template std::unique_ptr<RowReader<float>> open_hdf5(const std::string&, const std::string&, bool);
extern template std::unique_ptr<RowReader<double>> open_hdf5(const std::string&, const std::string&, bool);

}  // namespace roipca::cli
