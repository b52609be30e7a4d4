/// Writes bytes to a file, compressed or not.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "writers/output_file.hpp"

namespace roipca::cli {

/// A destination of bytes. Throws FileError that names the path.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const char> bytes) = 0;
  /// Writes all remaining bytes. No other call may follow.
  virtual void end() = 0;
};

/// Returns the compression that the extension of a path asks for: ".gz", ".zst" or none.
std::string packing_of(const std::string& path);

/// Opens a sink that compresses as the extension of `path` asks for. The file must outlive it.
std::unique_ptr<ByteSink> open_sink(OutputFile& file, const std::string& path);

std::unique_ptr<ByteSink> gzip_sink(OutputFile& file);
/// Throws FileError if this build has no zstd.
std::unique_ptr<ByteSink> zstd_sink(OutputFile& file);

}  // namespace roipca::cli
