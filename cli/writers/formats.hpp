/// The writers that open_writer chooses from.
#pragma once

#include "writers/row_writer.hpp"

namespace roipca::cli {

template <typename T>
std::unique_ptr<RowWriter<T>> npy_writer(const std::string& path, Index columns);

template <typename T>
std::unique_ptr<RowWriter<T>> csv_writer(const std::string& path, char delimiter,
                                         const std::vector<std::string>& names, const std::string& id_name);

/// Writes a dataset "data" that grows by chunks and, if rows have ids, a dataset "id" of strings. Throws
/// FileError if this build has no HDF5.
template <typename T>
std::unique_ptr<RowWriter<T>> hdf5_writer(const std::string& path, Index columns, bool has_ids);

/// Writes columns of numbers, after a column of strings if rows have ids. Throws FileError if there is no
/// Python with pyarrow.
template <typename T>
std::unique_ptr<RowWriter<T>> parquet_writer(const std::string& path, const std::vector<std::string>& names,
                                             const std::string& id_name);

}  // namespace roipca::cli
