/// Rows from a dataset of an HDF5 file, or from a sparse matrix of an AnnData file.
#pragma once

#include <memory>
#include <string>

#include "readers/row_reader.hpp"

namespace roipca::cli {

/// `dataset` is the path of a dataset, or of a group with a CSR matrix, inside the file; if empty, X or the
/// only matrix is read. Unless `allow_external`, a dataset with data in other files is refused, because these
/// may be any files that the user can read. Throws FileError without the path, also if this build has no
/// HDF5.
template <typename T>
std::unique_ptr<RowReader<T>> open_hdf5(const std::string& path, const std::string& dataset,
                                        bool allow_external = false);

extern template std::unique_ptr<RowReader<float>> open_hdf5(const std::string&, const std::string&, bool);
extern template std::unique_ptr<RowReader<double>> open_hdf5(const std::string&, const std::string&, bool);

}  // namespace roipca::cli
