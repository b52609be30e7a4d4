#include "row_sample.hpp"

#include <algorithm>

#include "feature_names.hpp"

namespace roipca::cli {
namespace {

template <typename T>
Index rows_to_keep(Index columns) {
  constexpr Index kRows = 1000;
  constexpr Index kBytes = Index{16} << 20;
  return std::clamp(kBytes / (columns * static_cast<Index>(sizeof(T))), Index{2}, kRows);
}

}  // namespace

template <typename T>
RowSample<T>::RowSample(const std::string& path, Index columns, std::vector<std::string> names)
    : writer_(open_writer<T>(path, column_names(std::move(names), static_cast<std::size_t>(columns)))),
      choice_(rows_to_keep<T>(columns)),
      kept_(rows_to_keep<T>(columns), columns) {}

template <typename T>
void RowSample<T>::pass(const Rows<T>& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    if (const auto place = choice_.pass()) std::ranges::copy(rows.row(i), kept_.row(*place).begin());
  }
}

template <typename T>
void RowSample<T>::pass(const SparseRows<T>& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto place = choice_.pass();
    if (!place) continue;
    const std::span<T> kept = kept_.row(*place);
    std::ranges::fill(kept, T{0});
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
      kept[static_cast<std::size_t>(rows.column(e))] += rows.value(e);
    }
  }
}

template <typename T>
void RowSample<T>::complete() {
  for (const auto& chosen : choice_.chosen()) writer_->write(kept_.slice(chosen.place, 1));
  writer_->complete();
}

template class RowSample<float>;
template class RowSample<double>;

}  // namespace roipca::cli
