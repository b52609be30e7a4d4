#include "readers/csr_arrays.hpp"

#include <algorithm>
#include <utility>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::int64_t kPiece = std::int64_t{1} << 16U;

}  // namespace

template <typename T>
CsrReader<T>::CsrReader(CsrArrays<T> arrays) : arrays_(std::move(arrays)) {
  if (arrays_.rows <= 0 || arrays_.columns <= 0) throw FileError("there are no rows: the matrix is empty");
  const std::uint64_t starts = arrays_.starts->size();
  if (starts == 0 || starts - 1 != static_cast<std::uint64_t>(arrays_.rows)) {
    throw FileError("indptr has " + std::to_string(starts) + " numbers, but " + std::to_string(arrays_.rows) +
                    " rows need one more than that");
  }
  if (arrays_.indices->size() != arrays_.values->size()) {
    throw FileError(std::to_string(arrays_.values->size()) + " entries have " +
                    std::to_string(arrays_.indices->size()) + " column indices");
  }
  std::int64_t first = 0;
  arrays_.starts->read(std::span(&first, 1));
  if (first != 0) throw FileError("row 0: indptr begins with " + std::to_string(first) + ", not with 0");
}

// Returns the end of the next row, after checking it.
template <typename T>
std::int64_t CsrReader<T>::next_end() {
  if (used_ == ends_.size()) {
    ends_.resize(static_cast<std::size_t>(std::min(kPiece, arrays_.rows - next_)));
    arrays_.starts->read(ends_);
    used_ = 0;
  }
  return ends_[used_++];
}

template <typename T>
void CsrReader<T>::read(PlacedRows<T>& block) {
  const auto total = static_cast<std::int64_t>(arrays_.values->size());
  std::vector<std::int64_t> ends;
  const std::int64_t first_entry = entry_;
  while (next_ < arrays_.rows && static_cast<Index>(ends.size()) < block.room &&
         entry_ - first_entry < block.room) {
    const std::int64_t end = next_end();
    if (end < entry_ || end > total) {
      throw FileError("row " + std::to_string(next_) + ": indptr is damaged: from entry " +
                      std::to_string(entry_) + " to entry " + std::to_string(end) + " of " +
                      std::to_string(total));
    }
    ends.push_back(end - first_entry);
    block.places.push_back(next_);
    entry_ = end;
    ++next_;
  }
  try {
    read_entries(entry_ - first_entry, ends, block);
  } catch (const FileError& error) {
    throw FileError("rows " + std::to_string(next_ - static_cast<std::int64_t>(ends.size())) + " to " +
                    std::to_string(next_ - 1) + ": " + error.what());
  }
  block.count = static_cast<Index>(ends.size());
  block.fraction = static_cast<double>(next_) / static_cast<double>(arrays_.rows);
  if (next_ == arrays_.rows && entry_ != total) {
    throw FileError("indptr ends at entry " + std::to_string(entry_) + ", but there are " +
                    std::to_string(total) + " entries");
  }
}

template <typename T>
void CsrReader<T>::read_entries(std::int64_t count, std::span<const std::int64_t> ends,
                                PlacedRows<T>& block) {
  std::vector<std::int64_t> columns;
  std::vector<T> numbers;
  std::size_t row = 0;
  const auto end_rows = [&](std::int64_t entry) {
    for (; row < ends.size() && ends[row] == entry; ++row) block.sparse.end_row();
  };
  end_rows(0);
  for (std::int64_t from = 0; from < count; from += kPiece) {
    const auto size = static_cast<std::size_t>(std::min(kPiece, count - from));
    columns.resize(size);
    numbers.resize(size);
    arrays_.indices->read(columns);
    arrays_.values->read(numbers);
    for (std::size_t e = 0; e < size; ++e) {
      block.sparse.add(static_cast<Index>(columns[e]), numbers[e]);
      end_rows(from + static_cast<std::int64_t>(e) + 1);
    }
  }
}

template class CsrReader<float>;
template class CsrReader<double>;

}  // namespace roipca::cli
