/// Bytes from files, pipes and memory, compressed or not. All functions throw FileError without the path.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace roipca::cli {

/// Bytes that are read once, from the first to the last.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Fills as much of `bytes` as there is at once; 0 only at the end.
  virtual std::size_t read(std::span<char> bytes) = 0;
  /// Fills all of `bytes` from that place of the stream, whatever was read so far; false where the stream is
  /// a pipe or compressed, or where it ends too early.
  virtual bool read_at(std::uint64_t /*offset*/, std::span<char> /*bytes*/) { return false; }
  /// Leaves out the next bytes without reading them; false, and nothing is done, where only reading gets
  /// there.
  virtual bool skip(std::uint64_t /*bytes*/) { return false; }
  /// Bytes in the whole stream; nothing where only the end will tell.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Waits up to that long until `read` returns at once, and tells whether it does. Only pipes and files that
  /// grow make anyone wait.
  virtual bool wait(std::chrono::milliseconds /*most*/) { return true; }
  /// How much of the file was read, from 0 to 1; nothing for a pipe.
  virtual std::optional<double> fraction() const { return std::nullopt; }
};

/// A stream whose beginning can be looked at before it is read: formats are told apart by it.
class PeekedStream : public ByteStream {
 public:
  explicit PeekedStream(std::unique_ptr<ByteStream> source) : source_(std::move(source)) {}

  /// The next `count` bytes, or what is left.
  std::string_view peek(std::size_t count) { return peek(count, count); }
  /// The next `most` bytes, or fewer, but at least `least`, if the others do not come within 100 ms.
  std::string_view peek(std::size_t least, std::size_t most);

  std::size_t read(std::span<char> bytes) override;
  bool read_at(std::uint64_t offset, std::span<char> bytes) override {
    return source_->read_at(offset, bytes);
  }
  bool skip(std::uint64_t bytes) override;
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  bool wait(std::chrono::milliseconds most) override { return !peeked_.empty() || source_->wait(most); }
  std::optional<double> fraction() const override { return source_->fraction(); }

  /// Fills `bytes` as far as the stream goes; returns how many there were.
  std::size_t read_fully(std::span<char> bytes);

  /// Gives the stream away, unread from where it is.
  std::unique_ptr<ByteStream> release();

 private:
  std::unique_ptr<ByteStream> source_;
  std::string peeked_;
};

/// Opens a file, or standard input for "-", and unpacks it where it is compressed by gzip, zstd or xz. With
/// `follow`, the end of a file or of a named pipe is not the end of the stream: reading waits for more.
std::unique_ptr<PeekedStream> open_stream(const std::string& path, bool follow = false);

/// The bytes of a text, for those who have no file.
std::unique_ptr<ByteStream> memory_stream(std::string bytes);

/// Unpacks `packed`, a gzip file of one or more members.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed);

/// The same for zstd and xz. Throw FileError where this build cannot.
std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> packed);
std::unique_ptr<ByteStream> unpack_xz(std::unique_ptr<ByteStream> packed);

/// `stream`, unpacked if it begins as a compressed file does.
std::unique_ptr<PeekedStream> unpacked(std::unique_ptr<ByteStream> stream);

}  // namespace roipca::cli
