#include "readers/row_source.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <sstream>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// The largest number that OnlinePca takes.
template <typename T>
constexpr T kLargest = std::numeric_limits<T>::max();
template <>
constexpr double kLargest<double> = 1e151;

// Written so that a NaN counts as beyond, and without a branch, which compilers turn into vector
// instructions.
template <typename T>
bool any_beyond(std::span<const T> row, T largest) {
  bool beyond = false;
  for (const T x : row) beyond |= !(std::abs(x) <= largest);
  return beyond;
}

constexpr std::size_t kSkippedToName = 5;

// A block stays in the cache of its core, yet is large beside what a call costs.
Index rows_in_block(Index columns, Index sharers) {
  constexpr Index kNumbers = Index{1} << 18U;
  constexpr Index kLeast = 8;
  constexpr Index kLeastToShare = 1024;  // the library deals rows out to its threads a few hundred at a time
  constexpr Index kMostNumbers = Index{1} << 22U;
  if (sharers == 1) return std::max(kLeast, kNumbers / columns);
  const Index wanted = std::max(kLeastToShare, kNumbers / columns) * sharers;
  return std::max(kLeast, std::min(wanted, kMostNumbers / columns));
}

std::string shown(const std::string& path) { return path == "-" ? "standard input" : path; }

// Bytes before each file and after the last; nothing where one of them is a pipe.
std::vector<double> cumulative_sizes(const std::vector<std::string>& paths) {
  std::vector<double> sizes = {0.0};
  for (const std::string& path : paths) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) return {};
    sizes.push_back(sizes.back() + static_cast<double>(size));
  }
  return sizes;
}

}  // namespace

template <typename T>
RowSource<T>::RowSource(InputSettings settings)
    : settings_(std::move(settings)), sizes_(cumulative_sizes(settings_.paths)) {
  open(0);
  ahead_ = std::make_unique<ReadAhead<FileBlock>>([this](FileBlock& block) { return fill(block); });
}

template <typename T>
void RowSource<T>::open(std::size_t file) {
  const std::string& path = settings_.paths[file];
  try {
    reader_.reset();
    reader_ = open_rows<T>(path, settings_.format);
    const auto names = reader_->names();
    if (file == 0) {
      columns_ = reader_->columns();
      names_ = names;
    } else if (reader_->columns() != columns_) {
      throw FileError(std::to_string(reader_->columns()) + " columns, but " + shown(settings_.paths[0]) +
                      " has " + std::to_string(columns_));
    } else if (!names.empty() && !names_.empty() && names != names_) {
      throw FileError("its column names are not those of " + shown(settings_.paths[0]));
    }
    file_ = file;
  } catch (const FileError& error) {
    throw FileError(shown(path) + ": " + error.what());
  }
}

template <typename T>
bool RowSource<T>::fill(FileBlock& block) {
  block.rows.resize(rows_in_block(columns_, settings_.sharers), columns_);
  while (true) {
    block.count = 0;
    block.bad.clear();
    try {
      reader_->read(block);
    } catch (const FileError& error) {
      throw FileError(shown(settings_.paths[file_]) + ": " + error.what());
    }
    if (block.taken() > 0) break;
    if (file_ + 1 == settings_.paths.size()) return false;
    open(file_ + 1);
  }
  block.file = file_;
  block.place = reader_->place();
  if (sizes_.empty() || sizes_.back() <= 0.0) {
    block.fraction.reset();
  } else if (block.fraction) {
    const double here = std::min(*block.fraction, 1.0) * (sizes_[file_ + 1] - sizes_[file_]);
    block.fraction = (sizes_[file_] + here) / sizes_.back();
  }
  move_out_bad(block);
  return true;
}

template <typename T>
void RowSource<T>::move_out_bad(FileBlock& block) const {
  Index kept = 0;
  for (Index i = 0; i < block.count; ++i) {
    const std::span<T> row = block.rows.row(i);
    if (any_beyond<T>(row, kLargest<T>)) {
      block.bad.push_back({block.places[static_cast<std::size_t>(i)], why_bad(row.data())});
      continue;
    }
    if (kept != i) {
      std::copy(row.begin(), row.end(), block.rows.row(kept).begin());
      block.places[static_cast<std::size_t>(kept)] = block.places[static_cast<std::size_t>(i)];
    }
    ++kept;
  }
  block.count = kept;
  std::stable_sort(block.bad.begin(), block.bad.end(),
                   [](const BadRow& a, const BadRow& b) { return a.place < b.place; });
}

template <typename T>
std::string RowSource<T>::why_bad(const T* row) const {
  Index j = 0;
  while (std::abs(row[j]) <= kLargest<T>) ++j;
  std::ostringstream text;
  if (std::isnan(row[j])) {
    text << "NaN";
  } else if (std::isinf(row[j])) {
    text << (row[j] < T{0} ? "-" : "") << "infinity";
  } else {
    text << row[j] << ", beyond " << kLargest<T> << ",";
  }
  text << " in column " << j + 1;
  if (!names_.empty()) text << " (" << names_[static_cast<std::size_t>(j)] << ")";
  return text.str();
}

template <typename T>
const PlacedRows<T>* RowSource<T>::next() {
  while (const FileBlock* block = ahead_->next()) {
    if (!block->bad.empty()) handle_bad(*block);
    if (block->count > 0) return block;
  }
  return nullptr;
}

template <typename T>
void RowSource<T>::handle_bad(const FileBlock& block) {
  const auto describe = [&](const BadRow& bad) {
    return shown(settings_.paths[block.file]) + ": " + block.place + " " + std::to_string(bad.place) + ": " +
           bad.reason;
  };
  check_interrupt();  // a producer that was interrupted with us may have left half a line
  if (settings_.on_bad_row == OnBadRow::kError) throw FileError(describe(block.bad.front()));
  for (const BadRow& bad : block.bad) {
    if (skipped_.first.size() < kSkippedToName) skipped_.first.push_back(describe(bad));
  }
  skipped_.count += static_cast<std::int64_t>(block.bad.size());
}

template class RowSource<float>;
template class RowSource<double>;

}  // namespace roipca::cli
