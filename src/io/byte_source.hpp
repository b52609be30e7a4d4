/// Where bytes come from, for those who only read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace roipca::io {

/// Bytes that are read once, from the first to the last.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills all of `bytes` with those that come next. Throws FileError.
  virtual void read(std::span<std::byte> bytes) = 0;
};

}  // namespace roipca::io
