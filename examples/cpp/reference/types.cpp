// Passes numbers to the library without a copy, and reads the numbers that it returns.
#include <algorithm>
#include <cassert>
#include <numeric>
#include <roipca/types.hpp>
#include <vector>

namespace {

// Functions that take views accept the rows of any container.
double sum(const roipca::Row<double>& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

double weighted_sum(const roipca::Rows<double>& rows, const roipca::Weights& weights) {
  double total = 0.0;
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    total += (weights.empty() ? 1.0 : weights[i]) * sum(rows.row(i));
  }
  return total;
}

}  // namespace

int main() {
  // Two rows of three numbers, in a table whose rows are four numbers apart.
  const std::vector<double> table = {1.0, 2.0, 3.0, -1.0, 4.0, 5.0, 6.0, -1.0};
  const roipca::Rows<double> view(table.data(), 2, 3, 4);
  assert(view.cols() == 3 && view.stride() == 4 && view.size() == 6);
  assert(view(1, 2) == 6.0 && view.data() == table.data());
  assert(weighted_sum(view, {}) == 21.0);
  assert(weighted_sum(view.slice(1, 1), std::vector<double>{2.0}) == 30.0);

  const roipca::Row<double> whole(table);
  assert(whole.size() == 8 && sum(whole.slice(0, 3)) == 6.0);

  // Rows that own their memory, such as scores. They begin as zeros.
  roipca::OwnedRows<double> owned(1, 3);
  std::copy_n(view.row(0).data(), 3, owned.row(0).begin());
  owned.resize(2, 3);  // rows are kept, and new ones are zeros
  assert(owned(0, 2) == 3.0 && owned(1, 2) == 0.0);
  assert(weighted_sum(owned, {}) == 6.0);

  owned.resize_for_overwrite(1000, 3);  // new numbers are not initialised, because all of them are set next
  std::fill_n(owned.data(), owned.size(), 1.0);
  assert(weighted_sum(owned, {}) == 3000.0);
}
