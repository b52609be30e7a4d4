/// A model as the bytes of a model file and back; where the bytes live is for others (docs/format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/model.hpp"

namespace roipca::io {

/// The file's bytes in order: `head`, then each of `arrays`, which are the model's own memory.
struct EncodedModel {
  std::string head;
  std::vector<std::span<const std::byte>> arrays;
};

/// Copies none of the arrays: the result is valid as long as the model is neither changed nor destroyed.
template <typename T>
EncodedModel encode(const Model<T>& model);

/// Bytes that are read once, from the first to the last.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills all of `bytes` with those that come next. Throws FileError.
  virtual void read(std::span<std::byte> bytes) = 0;
};

/// Throws FileError that names the byte or the field, but not the file. Takes no more memory than the
/// source's size and kMaxHeaderSize.
template <typename T>
Model<T> decode(ByteSource& source);

extern template EncodedModel encode(const Model<float>&);
extern template EncodedModel encode(const Model<double>&);
extern template Model<float> decode(ByteSource&);
extern template Model<double> decode(ByteSource&);

}  // namespace roipca::io
