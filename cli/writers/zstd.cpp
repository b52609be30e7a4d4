#include <zstd.h>

#include <vector>

#include "writers/byte_sink.hpp"

namespace roipca::cli {
namespace {

class ZstdSink : public ByteSink {
 public:
  explicit ZstdSink(OutputFile& file) : file_(file) {
    if (!state_) file_.fail("zstd: not enough memory");
    ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::span<const char> bytes) override { pack(bytes, ZSTD_e_continue); }
  void end() override { pack({}, ZSTD_e_end); }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* state) const { ZSTD_freeCCtx(state); }
  };

  void pack(std::span<const char> bytes, ZSTD_EndDirective mode) {
    ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
    bool is_done = false;
    while (!is_done) {
      ZSTD_outBuffer output = {output_.data(), output_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(state_.get(), &output, &input, mode);
      if (ZSTD_isError(left) != 0U) file_.fail(std::string("zstd: ") + ZSTD_getErrorName(left));
      file_.write(std::span(output_).first(output.pos));
      is_done = mode == ZSTD_e_end ? left == 0 : input.pos == input.size;
    }
  }

  OutputFile& file_;
  std::vector<char> output_ = std::vector<char>(std::size_t{1} << 17U);
  std::unique_ptr<ZSTD_CCtx, Free> state_{ZSTD_createCCtx()};
};

}  // namespace

std::unique_ptr<ByteSink> zstd_sink(OutputFile& file) { return std::make_unique<ZstdSink>(file); }

}  // namespace roipca::cli
