/// Saves an estimator to disk, to resume after the program stops (docs/format.md).
#pragma once

#include <filesystem>

#include "roipca/errors.hpp"
#include "roipca/online_pca.hpp"

namespace roipca {

/// Writes the state() of the estimator to a file. An existing file is either replaced completely or
/// unchanged: the function writes a temporary file, syncs it and renames it. So a program that stops at any
/// moment leaves a checkpoint from which it can resume:
///
///     while (read(rows)) {
///       pca.partial_fit(rows);
///       if (is_time()) save_checkpoint(pca, "fit.checkpoint");
///     }
///
/// Throws FileError. To keep or share results, `save` the model instead: a checkpoint can be read only by the
/// same version of the format on the same kind of machine.
template <typename T>
void save_checkpoint(const OnlinePca<T>& pca, const std::filesystem::path& path);

/// Returns the estimator, which resumes with the same bits as if it had never stopped. rows_seen() is its
/// position in the stream. Throws FileError that names the file and says what is wrong with it.
template <typename T>
OnlinePca<T> load_checkpoint(const std::filesystem::path& path);

extern template void save_checkpoint(const OnlinePca<float>&, const std::filesystem::path&);
extern template void save_checkpoint(const OnlinePca<double>&, const std::filesystem::path&);
extern template OnlinePca<float> load_checkpoint(const std::filesystem::path&);
extern template OnlinePca<double> load_checkpoint(const std::filesystem::path&);

}  // namespace roipca
