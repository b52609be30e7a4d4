/// An estimator on disk, to go on from after a stop of the program (docs/format.md).
#pragma once

#include <filesystem>

#include "roipca/errors.hpp"
#include "roipca/online_pca.hpp"

namespace roipca {

/// Writes the estimator's state(). A file of that name is either replaced whole or left as it was: temporary
/// file, sync, rename. So a program that stops at any moment leaves a checkpoint to go on from:
///
///     while (read(rows)) {
///       pca.partial_fit(rows);
///       if (is_time()) save_checkpoint(pca, "fit.checkpoint");
///     }
///
/// Throws FileError. For results that are to be kept or passed on, `save` the model: checkpoints are for one
/// version of the format and one kind of machine.
template <typename T>
void save_checkpoint(const OnlinePca<T>& pca, const std::filesystem::path& path);

/// The estimator as it was: it goes on to the same bits as if it had never stopped. rows_seen() tells where
/// the stream was. Throws FileError that names the file and what is wrong with it.
template <typename T>
OnlinePca<T> load_checkpoint(const std::filesystem::path& path);

extern template void save_checkpoint(const OnlinePca<float>&, const std::filesystem::path&);
extern template void save_checkpoint(const OnlinePca<double>&, const std::filesystem::path&);
extern template OnlinePca<float> load_checkpoint(const std::filesystem::path&);
extern template OnlinePca<double> load_checkpoint(const std::filesystem::path&);

}  // namespace roipca
