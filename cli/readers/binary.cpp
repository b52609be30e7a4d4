#include "readers/binary.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

std::uint64_t row_bytes(const BinaryLayout& layout) {
  return static_cast<std::uint64_t>(layout.columns) * layout.type.size;
}

// Checks the size of the file, if it is known, before any row is read.
void check_size(const BinaryLayout& layout, std::uint64_t size) {
  const std::uint64_t have = size - std::min(size, layout.offset);
  if (!layout.rows) {
    if (have % row_bytes(layout) == 0) return;
    throw FileError(std::to_string(have) + " bytes are not a whole number of rows of " +
                    std::to_string(row_bytes(layout)) + " bytes");
  }
  const std::uint64_t need = static_cast<std::uint64_t>(*layout.rows) * row_bytes(layout);
  if (have >= need) return;
  throw FileError("row " + std::to_string(have / row_bytes(layout)) +
                  ": the file is cut off: " + std::to_string(*layout.rows) + " rows need " +
                  std::to_string(need) + " bytes, but there are " + std::to_string(have));
}

// The common part of the readers for both orders: the position, and the fields of a block that follow from
// it.
template <typename T>
class BinaryReader : public RowReader<T> {
 public:
  BinaryReader(std::unique_ptr<PeekedStream> stream, const BinaryLayout& layout, Patience patience)
      : stream_(std::move(stream)), layout_(layout), patience_(patience) {}

  Index columns() const override { return layout_.columns; }
  std::optional<std::int64_t> rows() const override { return layout_.rows; }

  void read(PlacedRows<T>& block) override {
    Index wanted = block.capacity();
    if (layout_.rows) wanted = std::min<Index>(wanted, *layout_.rows - next_);
    block.count = wanted > 0 ? fill(block.rows, wanted) : 0;
    block.places.resize(static_cast<std::size_t>(block.count));
    std::iota(block.places.begin(), block.places.end(), next_);
    next_ += block.count;
    block.fraction = fraction();
  }

  bool skip(std::int64_t rows) override {
    if (!seek(rows)) return false;
    next_ = rows;
    return true;
  }

 protected:
  // Makes `row` the next row if that needs no reading; otherwise returns false.
  virtual bool seek(std::int64_t row) = 0;
  // Returns the number of rows filled, which is below `wanted` only if the stream is slow or ends.
  virtual Index fill(OwnedRows<T>& rows, Index wanted) = 0;

  std::unique_ptr<PeekedStream> stream_;
  BinaryLayout layout_;
  Patience patience_;
  std::int64_t next_ = 0;

 private:
  std::optional<double> fraction() const {
    if (!layout_.rows) return stream_->fraction();
    return static_cast<double>(next_) / static_cast<double>(*layout_.rows);
  }
};

template <typename T>
class ByRows : public BinaryReader<T> {
 public:
  using BinaryReader<T>::BinaryReader;

 private:
  bool seek(std::int64_t row) override {
    return this->stream_->skip(static_cast<std::uint64_t>(row) * row_bytes(this->layout_));
  }

  Index fill(OwnedRows<T>& rows, Index wanted) override {
    const std::uint64_t bytes = row_bytes(this->layout_);
    const std::uint64_t all = static_cast<std::uint64_t>(wanted) * bytes;
    const auto target =
        is_native<T>(this->layout_.type) ? std::span(reinterpret_cast<char*>(rows.data()), all) : buffer(all);
    bool at_end = false;
    const std::uint64_t have = read_rows(target, at_end);
    const auto whole = static_cast<Index>(have / bytes);
    if (have % bytes != 0 || (this->layout_.rows && at_end)) {
      throw FileError("row " + std::to_string(this->next_ + whole) + ": the data end after " +
                      std::to_string(have % bytes) + " of its " + std::to_string(bytes) + " bytes");
    }
    if (target.data() == buffer_.data()) {
      convert(target.data(), static_cast<std::size_t>(whole * this->layout_.columns), this->layout_.type,
              rows.data());
    }
    return whole;
  }

  // Fills `target` up to the end of the stream, or with whole rows if the stream is slow.
  std::uint64_t read_rows(std::span<char> target, bool& at_end) {
    const std::uint64_t bytes = row_bytes(this->layout_);
    std::uint64_t have = 0;
    this->patience_.begin_block();
    while (have < target.size() && !at_end) {
      const bool ends_a_row = have > 0 && have % bytes == 0;
      if (ends_a_row && !this->patience_.lasts(*this->stream_)) break;
      const std::size_t more = this->stream_->read(target.subspan(have));
      at_end = more == 0;
      have += more;
    }
    return have;
  }

  std::span<char> buffer(std::uint64_t bytes) {
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    return std::span(buffer_).first(bytes);
  }

  std::vector<char> buffer_;
};

// Reads a slab of rows at a time, with one contiguous read per column, because small reads are slow.
template <typename T>
class ByColumns : public BinaryReader<T> {
 public:
  using BinaryReader<T>::BinaryReader;

 private:
  static constexpr std::uint64_t kSlabBytes = std::uint64_t{1} << 25U;

  bool seek(std::int64_t /*row*/) override { return true; }

  Index fill(OwnedRows<T>& rows, Index wanted) override {
    Index filled = 0;
    while (filled < wanted) {
      const std::int64_t row = this->next_ + filled;
      if (row >= slab_end_) read_slab(row);
      const Index count = std::min<Index>(wanted - filled, slab_end_ - row);
      for (Index i = 0; i < count; ++i) {
        const std::span<T> from = slab_.row(row + i - slab_begin_);
        std::copy(from.begin(), from.end(), rows.row(filled + i).begin());
      }
      filled += count;
    }
    return filled;
  }

  void read_slab(std::int64_t begin) {
    const BinaryLayout& layout = this->layout_;
    const auto at_once = static_cast<std::int64_t>(
        std::max<std::uint64_t>(1, kSlabBytes / (static_cast<std::uint64_t>(layout.columns) * sizeof(T))));
    const std::int64_t count = std::min(at_once, *layout.rows - begin);
    slab_.resize(count, layout.columns);
    piece_.resize(static_cast<std::size_t>(count) * layout.type.size);
    for (Index j = 0; j < layout.columns; ++j) {
      const auto first = static_cast<std::uint64_t>(j * *layout.rows + begin);
      if (!this->stream_->read_at(layout.offset + first * layout.type.size, piece_)) {
        throw FileError("row " + std::to_string(begin) + ": the file became shorter while it was read");
      }
      convert(piece_.data(), static_cast<std::size_t>(count), layout.type, slab_.data() + j,
              static_cast<std::size_t>(layout.columns));
    }
    slab_begin_ = begin;
    slab_end_ = begin + count;
  }

  OwnedRows<T> slab_;
  std::vector<char> piece_;
  std::int64_t slab_begin_ = 0;
  std::int64_t slab_end_ = 0;
};

}  // namespace

void set_shape(BinaryLayout& layout, const std::vector<std::uint64_t>& shape) {
  if (shape.size() < 2) {
    throw FileError("the array has " + std::to_string(shape.size()) +
                    " dimensions, not two: rows and columns");
  }
  // Byte counts are signed numbers.
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = layout.type.size;
  for (const std::uint64_t size : shape) {
    if (size == 0) throw FileError("there are no rows: the array is empty");
    if (bytes > kMost / size) throw FileError("invalid header: its shape needs more than 2^63 bytes");
    bytes *= size;
  }
  layout.rows = static_cast<std::int64_t>(shape[0]);
  layout.columns = static_cast<Index>(bytes / layout.type.size / shape[0]);
}

template <typename T>
std::unique_ptr<RowReader<T>> open_binary(std::unique_ptr<PeekedStream> stream, const BinaryLayout& layout,
                                          Patience patience) {
  const auto size = stream->size();
  if (size) check_size(layout, *size);
  if (!layout.by_columns) return std::make_unique<ByRows<T>>(std::move(stream), layout, patience);
  if (!size) {
    throw FileError("an array in Fortran order cannot be read from a pipe or gzip file: save it in C order");
  }
  return std::make_unique<ByColumns<T>>(std::move(stream), layout, patience);
}

template std::unique_ptr<RowReader<float>> open_binary(std::unique_ptr<PeekedStream>, const BinaryLayout&,
                                                       Patience);
template std::unique_ptr<RowReader<double>> open_binary(std::unique_ptr<PeekedStream>, const BinaryLayout&,
                                                        Patience);

}  // namespace roipca::cli
