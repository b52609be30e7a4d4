// Sparse rows: views of three arrays, and rows that are written entry by entry.
#include <cassert>
#include <cstdint>
#include <roipca/online_pca.hpp>
#include <roipca/sparse.hpp>
#include <vector>

int main() {
  // Three rows of 1,000 features, of which a few are not zero. Row 1 is empty.
  const std::vector<std::int32_t> starts = {0, 2, 2, 3};
  const std::vector<std::int32_t> indices = {7, 400, 7};
  const std::vector<double> values = {1.5, 2.0, 0.5};
  const roipca::SparseRows<double> view(3, 1000, starts.data(), indices.data(), values.data());
  assert(view.rows() == 3 && view.cols() == 1000 && view.entries() == 3);
  assert(view.slice(1, 2).entries() == 1);  // the last two rows

  // The sum of column 7.
  double sum = 0.0;
  for (roipca::Index entry = view.start(0); entry < view.start(view.rows()); ++entry) {
    if (view.column(entry) == 7) sum += view.value(entry);
  }
  assert(sum == 2.0);

  // The same rows, written as a reader of a file would.
  roipca::OwnedSparseRows<double> rows(1000);
  rows.add(7, 1.5);
  rows.add(400, 2.0);
  rows.end_row();
  rows.end_row();
  rows.add(7, 0.5);
  rows.end_row();
  rows.add(999, 1.0);
  rows.drop_open_row();  // the last line of the file was cut off
  assert(rows.rows() == 3 && rows.cols() == 1000 && rows.entries() == 3);
  assert(rows.starts().back() == 3 && rows.indices()[1] == 400 && rows.values() == values);

  roipca::OnlinePca<double> a({.n_components = 1});
  roipca::OnlinePca<double> b({.n_components = 1});
  assert(a.partial_fit(view).model() == b.partial_fit(rows.view()).model());

  rows.clear(1000);  // keeps the memory for the next rows
  assert(rows.rows() == 0);
}
