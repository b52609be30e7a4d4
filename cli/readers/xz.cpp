#include <lzma.h>

#include <string>
#include <utility>
#include <vector>

#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

class XzStream : public ByteStream {
 public:
  explicit XzStream(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {
    constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 28U;  // xz -9 needs a quarter of it
    if (lzma_stream_decoder(&state_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) {
      throw FileError("xz: not enough memory");
    }
  }
  ~XzStream() override { lzma_end(&state_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  std::size_t read(std::span<char> bytes) override {
    state_.next_out = reinterpret_cast<std::uint8_t*>(bytes.data());
    state_.avail_out = bytes.size();
    while (state_.avail_out == bytes.size() && !bytes.empty() && !ended_) {
      if (state_.avail_in == 0) refill();
      step();
    }
    return bytes.size() - state_.avail_out;
  }

  bool wait(std::chrono::milliseconds most) override { return state_.avail_in > 0 || packed_->wait(most); }
  std::optional<double> fraction() const override { return packed_->fraction(); }

 private:
  void refill() {
    state_.avail_in = packed_->read(buffer_);
    state_.next_in = reinterpret_cast<const std::uint8_t*>(buffer_.data());
    at_end_ = state_.avail_in == 0;
  }

  void step() {
    const lzma_ret result = lzma_code(&state_, at_end_ ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_STREAM_END) {
      ended_ = true;
    } else if (result == LZMA_BUF_ERROR) {
      throw FileError("the xz file is cut off after " + std::to_string(state_.total_out) + " unpacked bytes");
    } else if (result == LZMA_MEMLIMIT_ERROR) {
      throw FileError("the xz file needs more than 256 MB of memory");
    } else if (result != LZMA_OK) {
      throw FileError("damaged xz file");
    }
  }

  std::unique_ptr<ByteStream> packed_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16U);
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool at_end_ = false;  // whether all compressed bytes were read
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> unpack_xz(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<XzStream>(std::move(packed));
}

}  // namespace roipca::cli
