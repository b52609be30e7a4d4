// gzip with Intel's ISA-L, which decompresses text about three times as fast as zlib. Used where it is
// installed.
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

std::string reason(int result) {
  switch (result) {
    case ISAL_INVALID_WRAPPER:
      return "incorrect header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect checksum";
    default:
      return "invalid data";
  }
}

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  std::size_t read(std::span<char> bytes) override {
    if (bytes.empty()) return 0;
    state_.next_out = reinterpret_cast<std::uint8_t*>(bytes.data());
    state_.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), kMostAtOnce));
    const std::uint32_t wanted = state_.avail_out;
    while (state_.avail_out == wanted) {
      if (state_.avail_in == 0 && !may_have_more_ && !refill()) {
        if (in_member_)
          throw FileError("the gzip file is cut off after " + std::to_string(unpacked_) + " unpacked bytes");
        return 0;
      }
      step();
    }
    unpacked_ += wanted - state_.avail_out;
    return wanted - state_.avail_out;
  }

  bool wait(std::chrono::milliseconds most) override {
    return state_.avail_in > 0 || may_have_more_ || packed_->wait(most);
  }
  std::optional<double> fraction() const override { return packed_->fraction(); }

 private:
  static constexpr std::size_t kMostAtOnce = 1U << 30U;

  bool refill() {
    const std::size_t count = packed_->read(input_);
    state_.next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    state_.avail_in = static_cast<std::uint32_t>(count);
    return count > 0;
  }

  void step() {
    in_member_ = true;
    const int result = isal_inflate(&state_);
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) {
      throw FileError("damaged gzip file: " + reason(result));
    }
    may_have_more_ = state_.avail_out == 0;
    if (state_.block_state != ISAL_BLOCK_FINISH) return;
    isal_inflate_reset(&state_);  // another member may follow
    state_.crc_flag = ISAL_GZIP;
    in_member_ = may_have_more_ = false;
  }

  std::unique_ptr<ByteStream> packed_;
  std::vector<char> input_ = std::vector<char>(std::size_t{1} << 16U);
  inflate_state state_ = {};
  std::uint64_t unpacked_ = 0;  // number of bytes returned
  bool in_member_ = true;
  bool may_have_more_ = false;  // decompressed bytes that did not fit into the buffer
};

}  // namespace

std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<GzipStream>(std::move(packed));
}

}  // namespace roipca::cli
