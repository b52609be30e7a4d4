/// Saves and loads models as safetensors files, which other programs can read too (docs/format.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <variant>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Writes the model to a file. An existing file is either replaced completely or unchanged: the function
/// writes a temporary file, syncs it and renames it. Throws FileError, and std::invalid_argument for a model
/// that `check` refuses.
template <typename T>
void save(const Model<T>& model, const std::filesystem::path& path);

/// Reads a model that `save` wrote, bit for bit. Throws FileError that names the file and the byte or field
/// for anything else: a truncated or changed file, inconsistent sizes, numbers of another type than T.
template <typename T>
Model<T> load(const std::filesystem::path& path);

/// Loads a model of either type, whichever the file contains.
std::variant<Model<double>, Model<float>> load_any(const std::filesystem::path& path);

/// Return the bytes that `save` would write, and the model of such bytes.
template <typename T>
std::vector<std::byte> to_bytes(const Model<T>& model);
template <typename T>
Model<T> from_bytes(std::span<const std::byte> bytes);

extern template void save(const Model<float>&, const std::filesystem::path&);
extern template void save(const Model<double>&, const std::filesystem::path&);
extern template Model<float> load(const std::filesystem::path&);
extern template Model<double> load(const std::filesystem::path&);
extern template std::vector<std::byte> to_bytes(const Model<float>&);
extern template std::vector<std::byte> to_bytes(const Model<double>&);
extern template Model<float> from_bytes(std::span<const std::byte>);
extern template Model<double> from_bytes(std::span<const std::byte>);

}  // namespace roipca
