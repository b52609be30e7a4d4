/// A source of bytes, for code that only reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace roipca::io {

/// Bytes that can be read once, from first to last.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `bytes` with the next bytes. Throws FileError.
  virtual void read(std::span<std::byte> bytes) = 0;
};

}  // namespace roipca::io
