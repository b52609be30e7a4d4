#include "readers/row_source.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "readers/name_difference.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// A NaN counts as beyond. There is no branch, so that compilers vectorize the loop.
template <typename T>
bool any_beyond(std::span<const T> row, T largest) {
  bool beyond = false;
  for (const T x : row) beyond |= !(std::abs(x) <= largest);
  return beyond;
}

constexpr std::size_t kSkippedToName = 5;

// A block fits into the cache of a core, but is large in comparison to the cost of a call. With `at_once`,
// blocks are small, so that rows do not wait for many others.
Index rows_in_block(Index columns, Index sharers, bool at_once) {
  const Index numbers = Index{1} << (at_once ? 12U : 18U);
  constexpr Index kLeast = 8;
  constexpr Index kLeastToShare = 1024;  // threads of the library take a few hundred rows at a time
  constexpr Index kMostNumbers = Index{1} << 22U;
  if (sharers == 1) return std::max(kLeast, numbers / columns);
  const Index wanted = std::max(kLeastToShare, numbers / columns) * sharers;
  return std::max(kLeast, std::min(wanted, kMostNumbers / columns));
}

// Returns the number of bytes before each file and after the last; empty if one of them is a pipe.
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

// Returns which features have the chosen names.
std::vector<bool> mask_of(const std::vector<std::string>& choice, const std::vector<std::string>& names) {
  if (names.empty()) throw FileError("the feature mask has names, but the columns of the file have none");
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const std::string& name : choice) {
    if (!known.contains(name))
      throw FileError("the feature mask names \"" + name + "\", which is not a column");
  }
  const std::unordered_set<std::string_view> chosen(choice.begin(), choice.end());
  std::vector<bool> mask;
  for (const std::string& name : names) mask.push_back(chosen.contains(name));
  return mask;
}

}  // namespace

std::string shown(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string no_rows_text(const SkippedRows& skipped) {
  if (skipped.count == 0) return "no rows are left";
  return "no rows are left: " + std::to_string(skipped.count) +
         (skipped.count == 1 ? " bad row was" : " bad rows were") +
         " skipped; the first: " + skipped.first.front();
}

template <typename T>
RowSource<T>::RowSource(InputSettings settings)
    : settings_(std::move(settings)), sizes_(cumulative_sizes(settings_.paths)) {
  is_checking_ = !settings_.learner_checks || settings_.max_rows > 0;
  open(0);
}

template <typename T>
std::vector<InputFile> RowSource<T>::open_all() {
  std::vector<InputFile> files;
  for (std::size_t file = 0; file < settings_.paths.size(); ++file) {
    if (file > 0) open(file);
    files.push_back({shown(settings_.paths[file]), reader_->rows(), columns_});
  }
  return files;
}

template <typename T>
void RowSource<T>::open(std::size_t file) {
  const std::string& path = settings_.paths[file];
  try {
    reader_.reset();
    InputFormat format = settings_.format;
    format.follow = format.follow && file + 1 == settings_.paths.size();  // only the last file may grow
    reader_ = open_rows<T>(path, format);
    const auto names = reader_->names();
    if (file == 0) {
      file_columns_ = columns_ = reader_->columns();
      file_names_ = names_ = names;
      id_name_ = settings_.number_rows ? reader_->place() : reader_->id_name();
      const std::string caution = reader_->caution();
      caution_ = caution.empty() ? "" : shown(path) + ": " + caution;
      set_preparation(columns_, names);
    } else if (reader_->columns() != file_columns_) {
      throw FileError(std::to_string(reader_->columns()) + " columns, but " + shown(settings_.paths[0]) +
                      " has " + std::to_string(file_columns_));
    } else if (!names.empty() && !file_names_.empty() && names != file_names_) {
      throw FileError("its column names are not those of " + shown(settings_.paths[0]) + "; " +
                      difference_of_names(names, file_names_));
    }
    file_ = file;
  } catch (const FileError& error) {
    throw FileError(shown(path) + ": " + error.what());
  }
}

// Turns chosen names into a mask. Columns and names become those of the kept features.
template <typename T>
void RowSource<T>::set_preparation(Index columns, const std::vector<std::string>& names) {
  PreparationSteps steps = settings_.preparation;
  const std::vector<std::string>& choice = settings_.feature_choice;
  if (!choice.empty()) steps.feature_mask = mask_of(choice, names);
  if (steps.is_empty()) return;
  try {
    preparation_ = std::make_unique<Preparation<T>>(steps, columns, 1);
  } catch (const std::invalid_argument& error) {
    throw FileError(error.what());
  }
  columns_ = preparation_->features_out();
  if (names.empty() || steps.feature_mask.empty()) return;
  names_.clear();
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (steps.feature_mask[j]) names_.push_back(names[j]);
  }
}

// Prepares an empty block for the reader.
template <typename T>
void RowSource<T>::begin(PlacedRows<T>& block) const {
  block.count = 0;
  block.bad.clear();
  block.places.clear();
  block.ids.clear();
  block.is_sparse = reader_->is_sparse();
  if (block.is_sparse) {
    constexpr Index kEntries = Index{1} << 17U;
    block.room = kEntries * settings_.sharers;
    block.sparse.clear(file_columns_);
  } else {
    block.rows.resize(rows_in_block(file_columns_, settings_.sharers, settings_.format.at_once),
                      file_columns_);
  }
}

// Moves the rows of `unprepared_` to the block and prepares them.
template <typename T>
void RowSource<T>::prepare(PlacedRows<T>& block) {
  block.count = 0;
  block.places.clear();
  block.ids.clear();
  block.is_sparse = unprepared_.is_sparse;
  block.bad = std::move(unprepared_.bad);
  block.fraction = unprepared_.fraction;
  if (block.is_sparse) {
    block.sparse.clear(columns_);
  } else {
    block.rows.resize(unprepared_.capacity(), columns_);
  }
  for (Index i = 0; i < unprepared_.count; ++i) {
    const std::int64_t place = unprepared_.places[static_cast<std::size_t>(i)];
    try {
      if (block.is_sparse) {
        preparation_->apply_row(unprepared_.sparse.view(), i, block.sparse);
      } else {
        preparation_->apply_row(Rows<T>(unprepared_.rows), i, block.rows.row(block.count));
      }
      block.places.push_back(place);
      if (!unprepared_.ids.empty()) block.ids.push_back(unprepared_.ids[static_cast<std::size_t>(i)]);
      ++block.count;
    } catch (const DataError& error) {
      block.bad.push_back({place, std::string(error.reason())});
    }
  }
}

template <typename T>
bool RowSource<T>::fill(FileBlock& block) {
  PlacedRows<T>& unprepared = preparation_ ? unprepared_ : block;
  while (true) {
    begin(unprepared);
    try {
      reader_->read(unprepared);
    } catch (const FileError& error) {
      throw FileError(shown(settings_.paths[file_]) + ": " + error.what());
    }
    if (unprepared.taken() > 0) break;
    if (file_ + 1 == settings_.paths.size()) return false;
    open(file_ + 1);
  }
  if (preparation_) prepare(block);
  block.file = file_;
  block.place = reader_->place();
  if (sizes_.empty() || sizes_.back() <= 0.0) {
    block.fraction.reset();
  } else if (block.fraction) {
    const double here = std::min(*block.fraction, 1.0) * (sizes_[file_ + 1] - sizes_[file_]);
    block.fraction = (sizes_[file_] + here) / sizes_.back();
  }
  if (is_checking_ || !block.bad.empty()) move_out_bad(block);
  if (settings_.number_rows) {
    for (const std::int64_t place : block.places) block.ids.push_back(std::to_string(place));
  }
  return true;
}

template <typename T>
void RowSource<T>::move_out_bad(FileBlock& block) const {
  if (block.is_sparse) {
    move_out_bad_sparse(block);
  } else {
    move_out_bad_dense(block);
  }
  std::stable_sort(block.bad.begin(), block.bad.end(),
                   [](const BadRow& a, const BadRow& b) { return a.place < b.place; });
}

template <typename T>
void RowSource<T>::move_out_bad_dense(FileBlock& block) const {
  const T largest = largest_number<T>();
  const auto is_bad = [&](T x) { return !(std::abs(x) <= largest || (settings_.gaps && std::isnan(x))); };
  Index kept = 0;
  for (Index i = 0; i < block.count; ++i) {
    const std::span<T> row = block.rows.row(i);
    if (any_beyond<T>(row, largest) && std::any_of(row.begin(), row.end(), is_bad)) {
      const auto j = static_cast<std::size_t>(std::find_if(row.begin(), row.end(), is_bad) - row.begin());
      std::string reason = why_bad(row[j], static_cast<Index>(j));
      if (std::isnan(row[j])) reason += " (to fill gaps, " + settings_.format.csv.impute_advice + ")";
      block.bad.push_back({block.places[static_cast<std::size_t>(i)], std::move(reason)});
      continue;
    }
    if (kept != i) {
      std::copy(row.begin(), row.end(), block.rows.row(kept).begin());
      block.places[static_cast<std::size_t>(kept)] = block.places[static_cast<std::size_t>(i)];
      if (!block.ids.empty()) {
        block.ids[static_cast<std::size_t>(kept)] = std::move(block.ids[static_cast<std::size_t>(i)]);
      }
    }
    ++kept;
  }
  block.count = kept;
  block.places.resize(static_cast<std::size_t>(kept));
  if (!block.ids.empty()) block.ids.resize(static_cast<std::size_t>(kept));
}

template <typename T>
void RowSource<T>::move_out_bad_sparse(FileBlock& block) const {
  const SparseRows<T> rows = block.sparse.view();
  const T largest = largest_number<T>();
  std::vector<std::string> reasons(static_cast<std::size_t>(block.count));
  bool all_good = true;
  for (Index i = 0; i < block.count; ++i) {
    std::string& reason = reasons[static_cast<std::size_t>(i)];
    for (Index e = rows.start(i); e < rows.start(i + 1) && reason.empty(); ++e) {
      if (rows.column(e) < 0 || rows.column(e) >= rows.cols()) {
        reason = "column index " + std::to_string(rows.column(e)) + " is out of range: there are " +
                 std::to_string(rows.cols()) + " columns";
      } else if (!(std::abs(rows.value(e)) <= largest)) {
        reason = why_bad(rows.value(e), rows.column(e));
      }
    }
    all_good = all_good && reason.empty();
  }
  if (all_good) return;
  OwnedSparseRows<T> good(rows.cols());
  std::vector<std::int64_t> places;
  std::vector<std::string> ids;
  for (Index i = 0; i < block.count; ++i) {
    const std::int64_t place = block.places[static_cast<std::size_t>(i)];
    const std::string& reason = reasons[static_cast<std::size_t>(i)];
    if (!reason.empty()) {
      block.bad.push_back({place, reason});
      continue;
    }
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) good.add(rows.column(e), rows.value(e));
    good.end_row();
    places.push_back(place);
    if (!block.ids.empty()) ids.push_back(std::move(block.ids[static_cast<std::size_t>(i)]));
  }
  block.count = good.rows();
  block.ids = std::move(ids);
  block.sparse = std::move(good);
  block.places = std::move(places);
}

template <typename T>
std::string RowSource<T>::why_bad(T number, Index column) const {
  std::ostringstream text;
  if (std::isnan(number)) {
    text << "NaN";
  } else if (std::isinf(number)) {
    text << (number < T{0} ? "-" : "") << "infinity";
  } else {
    text << number << " (too large: magnitudes up to " << largest_number<T>() << " can be used)";
  }
  text << " in column " << column + 1;
  if (!names_.empty()) text << " (" << names_[static_cast<std::size_t>(column)] << ")";
  return text.str();
}

template <typename T>
const PlacedRows<T>* RowSource<T>::next(const std::function<void()>& while_waiting) {
  if (settings_.max_rows > 0 && rows_ == settings_.max_rows) return nullptr;
  if (!ahead_) ahead_ = std::make_unique<ReadAhead<FileBlock>>([this](FileBlock& b) { return fill(b); });
  while (FileBlock* block = ahead_->next(while_waiting)) {
    if (settings_.max_rows > 0) cut(*block);
    if (!block->bad.empty()) handle_bad(*block);
    rows_ += block->count;
    last_ = block;
    if (block->count > 0) return block;
  }
  return nullptr;
}

template <typename T>
std::optional<std::int64_t> RowSource<T>::seek(std::int64_t row) {
  const auto is_file = [](const std::string& path) { return std::filesystem::is_regular_file(path); };
  if (settings_.on_bad_row == OnBadRow::kSkip || !std::ranges::all_of(settings_.paths, is_file)) {
    return std::nullopt;
  }
  ahead_.reset();
  open(0);
  std::int64_t before = 0;  // number of rows in the files that are skipped
  while (reader_->rows() && *reader_->rows() <= row - before && file_ + 1 < settings_.paths.size()) {
    before += *reader_->rows();
    open(file_ + 1);
  }
  rows_ = row > before && reader_->skip(row - before) ? row : before;
  return rows_;
}

// Removes the rows beyond the maximum number, and the bad rows after the last one kept.
template <typename T>
void RowSource<T>::cut(FileBlock& block) {
  const std::int64_t left = settings_.max_rows - rows_;
  if (block.count < left) return;
  block.count = static_cast<Index>(left);
  const std::int64_t last = block.places[static_cast<std::size_t>(left - 1)];
  std::erase_if(block.bad, [&](const BadRow& bad) { return bad.place > last; });
  if (!block.ids.empty()) block.ids.resize(static_cast<std::size_t>(left));
}

template <typename T>
void RowSource<T>::handle_bad(const FileBlock& block) {
  const auto describe = [&](const BadRow& bad) {
    return shown(settings_.paths[block.file]) + ": " + block.place + " " + std::to_string(bad.place) + ": " +
           bad.reason;
  };
  check_interrupt();  // the program that writes the input may have been interrupted with us and left half a
                      // line
  if (settings_.on_bad_row == OnBadRow::kError) throw FileError(describe(block.bad.front()));
  for (const BadRow& bad : block.bad) {
    if (skipped_.first.size() < kSkippedToName) skipped_.first.push_back(describe(bad));
  }
  skipped_.count += static_cast<std::int64_t>(block.bad.size());
}

// Returns whether there were bad rows. After the first ones, `fill` checks numbers, because learning a block
// twice costs more.
template <typename T>
bool RowSource<T>::take_out_bad() {
  FileBlock& block = *last_;
  block.bad.clear();
  const Index count = block.count;
  move_out_bad(block);
  if (block.bad.empty()) return false;
  is_checking_ = true;
  rows_ -= count - block.count;
  handle_bad(block);
  return true;
}

template class RowSource<float>;
template class RowSource<double>;

}  // namespace roipca::cli
