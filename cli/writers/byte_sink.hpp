/// Bytes on their way to a file, compressed or not.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "writers/output_file.hpp"

namespace roipca::cli {

/// Throws FileError that names the path.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const char> bytes) = 0;
  /// Writes what is left. Nothing may follow.
  virtual void end() = 0;
};

/// The compression that the end of a path asks for: ".gz", ".zst" or none.
std::string packing_of(const std::string& path);

/// A sink that compresses as the end of `path` asks for. The file must outlive it.
std::unique_ptr<ByteSink> open_sink(OutputFile& file, const std::string& path);

std::unique_ptr<ByteSink> gzip_sink(OutputFile& file);
/// Throws FileError where this build has no zstd.
std::unique_ptr<ByteSink> zstd_sink(OutputFile& file);

}  // namespace roipca::cli
