#include "readers/chosen_rows.hpp"

#include <utility>

#include "readers/id_text.hpp"

namespace roipca::cli {
namespace {

template <typename T>
class ChosenRows : public RowReader<T> {
 public:
  ChosenRows(std::unique_ptr<RowReader<double>> reader, const ColumnChoice& choice)
      : reader_(std::move(reader)) {
    const std::vector<std::string> names = reader_->names();
    const auto columns = static_cast<std::size_t>(reader_->columns());
    const ChosenColumns chosen = chosen_columns(choice, names, columns);
    if (chosen.id) id_ = static_cast<Index>(*chosen.id);
    id_name_ = chosen.id_name;
    places_.assign(columns, -1);
    for (std::size_t j = 0; j < columns; ++j) {
      if (!chosen.wanted[j]) continue;
      places_[j] = static_cast<Index>(wanted_.size());
      wanted_.push_back(static_cast<Index>(j));
      if (!names.empty()) names_.push_back(names[j]);
    }
  }

  Index columns() const override { return static_cast<Index>(wanted_.size()); }
  std::optional<std::int64_t> rows() const override { return reader_->rows(); }
  std::vector<std::string> names() const override { return names_; }
  std::string id_name() const override { return id_name_; }
  const char* place() const override { return reader_->place(); }
  bool is_sparse() const override { return reader_->is_sparse(); }
  bool skip(std::int64_t rows) override { return reader_->skip(rows); }

  void read(PlacedRows<T>& block) override {
    all_.is_sparse = reader_->is_sparse();
    all_.room = block.room;
    all_.count = 0;
    all_.bad.clear();
    all_.places.clear();
    if (all_.is_sparse) {
      all_.sparse.clear(reader_->columns());
    } else {
      all_.rows.resize(block.capacity(), reader_->columns());
    }
    reader_->read(all_);
    block.count = all_.count;
    block.bad = std::move(all_.bad);
    block.places = all_.places;
    block.fraction = all_.fraction;
    if (all_.is_sparse) {
      take_sparse(block);
    } else {
      take_dense(block);
    }
  }

 private:
  void take_dense(PlacedRows<T>& block) const {
    for (Index i = 0; i < all_.count; ++i) {
      const std::span<T> to = block.rows.row(i);
      for (std::size_t j = 0; j < wanted_.size(); ++j) to[j] = static_cast<T>(all_.rows(i, wanted_[j]));
      if (id_) block.ids.push_back(id_text(all_.rows(i, *id_)));
    }
  }

  void take_sparse(PlacedRows<T>& block) const {
    const SparseRows<double> rows = all_.sparse.view();
    for (Index i = 0; i < all_.count; ++i) {
      double id = 0.0;
      for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
        const Index column = rows.column(e);
        const bool is_there = column >= 0 && column < rows.cols();
        if (is_there && id_ == column) id = rows.value(e);
        // A column index out of range is kept out of range, so that the row is reported as bad.
        const Index place = is_there ? places_[static_cast<std::size_t>(column)] : columns();
        if (place >= 0) block.sparse.add(place, static_cast<T>(rows.value(e)));
      }
      block.sparse.end_row();
      if (id_) block.ids.push_back(id_text(id));
    }
  }

  std::unique_ptr<RowReader<double>> reader_;
  std::vector<Index> wanted_;  // column numbers in the file
  std::vector<Index> places_;  // for each column of the file, its position among the wanted ones, or -1
  std::vector<std::string> names_;
  std::optional<Index> id_;
  std::string id_name_;
  PlacedRows<double> all_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> choose_columns(std::unique_ptr<RowReader<double>> reader,
                                             const ColumnChoice& choice) {
  return std::make_unique<ChosenRows<T>>(std::move(reader), choice);
}

template std::unique_ptr<RowReader<float>> choose_columns(std::unique_ptr<RowReader<double>>,
                                                          const ColumnChoice&);
template std::unique_ptr<RowReader<double>> choose_columns(std::unique_ptr<RowReader<double>>,
                                                           const ColumnChoice&);

}  // namespace roipca::cli
