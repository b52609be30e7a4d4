// Replaces zstd.cpp if the build has no zstd.
#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {

std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> /*packed*/) {
  throw FileError("cannot read zstd files: this roipca was built without zstd");
}

}  // namespace roipca::cli
