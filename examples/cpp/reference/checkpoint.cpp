// Stops in the middle of a stream and resumes with the same bits.
#include <cassert>
#include <cmath>
#include <roipca/checkpoint.hpp>

int main() {
  // 1,000 rows of 30 features: waves whose height falls from one feature to the next.
  roipca::OwnedRows<float> rows(1000, 30);
  for (roipca::Index i = 0; i < rows.rows(); ++i) {
    for (roipca::Index j = 0; j < rows.cols(); ++j) {
      rows(i, j) = std::sin((i + 1.0F) * (j + 1.0F)) / (j + 1.0F);
    }
  }

  roipca::OnlinePca<float> first_run({.n_components = 4});
  first_run.partial_fit(rows.slice(0, 700));
  roipca::save_checkpoint(first_run, "example.checkpoint");

  // Another process starts where the first one was when it wrote the file.
  auto second_run = roipca::load_checkpoint<float>("example.checkpoint");
  const roipca::Index done = second_run.rows_seen();
  second_run.partial_fit(rows.slice(done, rows.rows() - done));

  roipca::OnlinePca<float> without_a_stop({.n_components = 4});
  assert(second_run.model() == without_a_stop.partial_fit(rows).model());
}
