// Replaces xz.cpp if the build has no liblzma.
#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {

std::unique_ptr<ByteStream> unpack_xz(std::unique_ptr<ByteStream> /*packed*/) {
  throw FileError("cannot read xz files: this roipca was built without liblzma");
}

}  // namespace roipca::cli
