#include "writers/byte_sink.hpp"

#include <filesystem>

namespace roipca::cli {
namespace {

class PlainSink : public ByteSink {
 public:
  explicit PlainSink(OutputFile& file) : file_(file) {}
  void write(std::span<const char> bytes) override { file_.write(bytes); }
  void end() override {}

 private:
  OutputFile& file_;
};

}  // namespace

std::string packing_of(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  return end == ".gz" || end == ".zst" ? end : std::string();
}

std::unique_ptr<ByteSink> open_sink(OutputFile& file, const std::string& path) {
  const std::string packing = packing_of(path);
  if (packing == ".gz") return gzip_sink(file);
  if (packing == ".zst") return zstd_sink(file);
  return std::make_unique<PlainSink>(file);
}

}  // namespace roipca::cli
