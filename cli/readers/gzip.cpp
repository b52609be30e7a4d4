#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {
    constexpr int kGzipOnly = 15 + 16;  // zlib's largest window, with gzip's header and checksum
    if (inflateInit2(&state_, kGzipOnly) != Z_OK) throw FileError("gzip: not enough memory");
  }
  ~GzipStream() override { inflateEnd(&state_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  std::size_t read(std::span<char> bytes) override {
    if (bytes.empty()) return 0;
    state_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(bytes.size(), kMostAtOnce));
    const uInt wanted = state_.avail_out;
    while (state_.avail_out == wanted) {
      if (state_.avail_in == 0 && !refill()) {
        if (in_member_)
          throw FileError("the gzip file is cut off after " + std::to_string(unpacked_) + " unpacked bytes");
        return 0;
      }
      step();
    }
    unpacked_ += wanted - state_.avail_out;
    return wanted - state_.avail_out;
  }

  bool wait(std::chrono::milliseconds most) override { return state_.avail_in > 0 || packed_->wait(most); }
  std::optional<double> fraction() const override { return packed_->fraction(); }

 private:
  static constexpr std::size_t kMostAtOnce = 1U << 30U;

  bool refill() {
    const std::size_t count = packed_->read(input_);
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  void step() {
    in_member_ = true;
    const int result = inflate(&state_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      in_member_ = false;
      inflateReset(&state_);  // another member may follow
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw FileError(std::string("damaged gzip file: ") +
                      (state_.msg != nullptr ? state_.msg : "invalid data"));
    }
  }

  std::unique_ptr<ByteStream> packed_;
  std::vector<char> input_ = std::vector<char>(std::size_t{1} << 16U);
  z_stream state_ = {};
  std::uint64_t unpacked_ = 0;  // number of bytes returned
  bool in_member_ = true;
};

}  // namespace

std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<GzipStream>(std::move(packed));
}

}  // namespace roipca::cli
