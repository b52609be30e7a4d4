// In place of zstd.cpp where the build has no zstd.
#include "writers/byte_sink.hpp"

namespace roipca::cli {

std::unique_ptr<ByteSink> zstd_sink(OutputFile& file) {
  file.fail("a zstd file, and this roipca was built without zstd");
}

}  // namespace roipca::cli
