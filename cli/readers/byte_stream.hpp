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

/// A stream of bytes that is read once, from beginning to end.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Reads the bytes that are available, at most bytes.size(), waiting for at least one. Returns 0 only at
  /// the end.
  virtual std::size_t read(std::span<char> bytes) = 0;
  /// Fills all of `bytes` from that offset, independently of read(). Returns false if the stream is a pipe or
  /// compressed, or ends too early.
  virtual bool read_at(std::uint64_t /*offset*/, std::span<char> /*bytes*/) { return false; }
  /// Skips bytes without reading them. Returns false, and does nothing, if the stream cannot.
  virtual bool skip(std::uint64_t /*bytes*/) { return false; }
  /// Returns the number of bytes of the whole stream, or nothing if it is only known at the end.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Waits at most this long until read() would return at once. Returns whether it would. Only pipes and
  /// files that grow ever wait.
  virtual bool wait(std::chrono::milliseconds /*most*/) { return true; }
  /// Returns the fraction of the file that was read, from 0 to 1, or nothing for a pipe.
  virtual std::optional<double> fraction() const { return std::nullopt; }
};

/// A stream whose beginning can be examined before it is read, to detect its format.
class PeekedStream : public ByteStream {
 public:
  explicit PeekedStream(std::unique_ptr<ByteStream> source) : source_(std::move(source)) {}

  /// Returns the next `count` bytes, or fewer at the end of the stream.
  std::string_view peek(std::size_t count) { return peek(count, count); }
  /// Returns the next `most` bytes, or at least `least` of them if the others do not arrive within 100 ms.
  std::string_view peek(std::size_t least, std::size_t most);

  std::size_t read(std::span<char> bytes) override;
  bool read_at(std::uint64_t offset, std::span<char> bytes) override {
    return source_->read_at(offset, bytes);
  }
  bool skip(std::uint64_t bytes) override;
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  bool wait(std::chrono::milliseconds most) override { return !peeked_.empty() || source_->wait(most); }
  std::optional<double> fraction() const override { return source_->fraction(); }

  /// Fills `bytes` unless the stream ends first. Returns the number of bytes read.
  std::size_t read_fully(std::span<char> bytes);

  /// Returns a stream of all bytes that were not read, including those that were peeked at.
  std::unique_ptr<ByteStream> release();

 private:
  std::unique_ptr<ByteStream> source_;
  std::string peeked_;
};

/// Opens a file, or standard input for "-", and decompresses it if it is compressed with gzip, zstd or xz.
/// With `follow`, reading waits for more at the end of a file or named pipe, and fails if the file was
/// replaced or became shorter.
std::unique_ptr<PeekedStream> open_stream(const std::string& path, bool follow = false);

/// Returns a stream of the bytes of a string.
std::unique_ptr<ByteStream> memory_stream(std::string bytes);

/// Decompresses a gzip file of one or more members.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed);

/// Decompress zstd and xz. Throw FileError if this build does not support the format.
std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> packed);
std::unique_ptr<ByteStream> unpack_xz(std::unique_ptr<ByteStream> packed);

/// Returns the stream, decompressed if its first bytes are those of a compressed file.
std::unique_ptr<PeekedStream> unpacked(std::unique_ptr<ByteStream> stream);

}  // namespace roipca::cli
