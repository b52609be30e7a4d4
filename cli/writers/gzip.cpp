#include <zlib.h>

#include <algorithm>
#include <vector>

#include "writers/byte_sink.hpp"

namespace roipca::cli {
namespace {

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(OutputFile& file) : file_(file) {
    constexpr int kGzip = 15 + 16;  // zlib's largest window, with gzip's header and checksum
    constexpr int kMemory = 8;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      file_.fail("gzip: not enough memory");
    }
  }
  ~GzipSink() override { deflateEnd(&state_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::span<const char> bytes) override {
    constexpr std::size_t kMost = 1U << 30U;
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), kMost));
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));  // zlib only reads it
      state_.avail_in = static_cast<uInt>(piece.size());
      pack(Z_NO_FLUSH);
      bytes = bytes.subspan(piece.size());
    }
  }

  void end() override { pack(Z_FINISH); }

 private:
  void pack(int flush) {
    do {
      state_.next_out = reinterpret_cast<Bytef*>(output_.data());
      state_.avail_out = static_cast<uInt>(output_.size());
      deflate(&state_, flush);  // cannot fail with these arguments
      file_.write(std::span(output_).first(output_.size() - state_.avail_out));
    } while (state_.avail_out == 0);
  }

  OutputFile& file_;
  std::vector<char> output_ = std::vector<char>(std::size_t{1} << 16U);
  z_stream state_ = {};
};

}  // namespace

std::unique_ptr<ByteSink> gzip_sink(OutputFile& file) { return std::make_unique<GzipSink>(file); }

}  // namespace roipca::cli
