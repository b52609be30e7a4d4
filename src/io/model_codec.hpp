/// Converts a model to the bytes of a model file and back, wherever the bytes are stored (docs/format.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/byte_source.hpp"
#include "roipca/errors.hpp"
#include "roipca/model.hpp"

namespace roipca::io {

/// The file's bytes in order: `head`, then each of `arrays`, which are the model's own memory.
struct EncodedModel {
  std::string head;
  std::vector<std::span<const std::byte>> arrays;
};

/// Returns the bytes of a model without copying its arrays: the result is valid as long as the model is
/// neither changed nor destroyed.
template <typename T>
EncodedModel encode(const Model<T>& model);

/// Reads a model. Throws FileError that names the byte or the field, but not the file. Takes no more memory
/// than the source's size and kMaxHeaderSize.
template <typename T>
Model<T> decode(ByteSource& source);

/// Does the same for the type, float or double, that the source holds.
std::variant<Model<double>, Model<float>> decode_any(ByteSource& source);

extern template EncodedModel encode(const Model<float>&);
extern template EncodedModel encode(const Model<double>&);
extern template Model<float> decode(ByteSource&);
extern template Model<double> decode(ByteSource&);

}  // namespace roipca::io
