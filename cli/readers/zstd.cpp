#include <zstd.h>

#include <string>
#include <utility>
#include <vector>

#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// The library refuses windows of more than 128 MB, which bounds the memory that a file can require.
class ZstdStream : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {
    if (!state_) throw FileError("zstd: not enough memory");
  }

  std::size_t read(std::span<char> bytes) override {
    ZSTD_outBuffer output = {bytes.data(), bytes.size(), 0};
    while (output.pos == 0 && !bytes.empty()) {
      if (input_.pos == input_.size && !refill()) {
        if (in_frame_)
          throw FileError("the zstd file is cut off after " + std::to_string(unpacked_) + " unpacked bytes");
        return 0;
      }
      const std::size_t left = ZSTD_decompressStream(state_.get(), &output, &input_);
      if (ZSTD_isError(left) != 0U) {
        throw FileError(std::string("damaged zstd file: ") + ZSTD_getErrorName(left));
      }
      in_frame_ = left != 0;
    }
    unpacked_ += output.pos;
    return output.pos;
  }

  bool wait(std::chrono::milliseconds most) override {
    return input_.pos < input_.size || packed_->wait(most);
  }
  std::optional<double> fraction() const override { return packed_->fraction(); }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };

  bool refill() {
    input_ = {buffer_.data(), packed_->read(buffer_), 0};
    return input_.size > 0;
  }

  std::unique_ptr<ByteStream> packed_;
  std::unique_ptr<ZSTD_DStream, Free> state_{ZSTD_createDStream()};
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 17U);
  ZSTD_inBuffer input_ = {};
  std::uint64_t unpacked_ = 0;  // number of bytes returned
  bool in_frame_ = true;
};

}  // namespace

std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<ZstdStream>(std::move(packed));
}

}  // namespace roipca::cli
