/// The kinds of writers, for open_writer.
#pragma once

#include "writers/row_writer.hpp"

namespace roipca::cli {

template <typename T>
std::unique_ptr<RowWriter<T>> npy_writer(const std::string& path, Index columns);

template <typename T>
std::unique_ptr<RowWriter<T>> csv_writer(const std::string& path, char delimiter,
                                         const std::vector<std::string>& names, const std::string& id_name);

/// A dataset "data" that grows by chunks, and "id" of texts if rows have ids. Throws FileError where this
/// build has no HDF5.
template <typename T>
std::unique_ptr<RowWriter<T>> hdf5_writer(const std::string& path, Index columns, bool has_ids);

/// Columns of numbers, and first one of texts if rows have ids. Throws FileError where there is no Python
/// with pyarrow.
template <typename T>
std::unique_ptr<RowWriter<T>> parquet_writer(const std::string& path, const std::vector<std::string>& names,
                                             const std::string& id_name);

}  // namespace roipca::cli
