// Replaces zstd.cpp if the build has no zstd.
#include "writers/byte_sink.hpp"

namespace roipca::cli {

std::unique_ptr<ByteSink> zstd_sink(OutputFile& file) {
  file.fail("cannot write zstd files: this roipca was built without zstd");
}

}  // namespace roipca::cli
