// Catches what goes wrong with rows, kernels and files, and continues.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <roipca/errors.hpp>
#include <roipca/kernel_pca.hpp>
#include <roipca/model_file.hpp>
#include <roipca/online_pca.hpp>
#include <string>
#include <vector>

int main() {
  roipca::OnlinePca<double> pca({.n_components = 1});
  const std::vector<double> good = {1.0, 2.0, 3.0, 5.0};
  const std::vector<double> bad = {4.0, 7.0, 5.0, NAN};
  pca.partial_fit(roipca::Rows<double>(good.data(), 2, 2));
  try {
    pca.partial_fit(roipca::Rows<double>(bad.data(), 2, 2));
    return 1;
  } catch (const roipca::DataError& error) {
    // Row 1 of the call is row 3 of the stream. The estimator has not learned row 0 of the call either.
    const roipca::DataError of_the_stream = error.after(pca.rows_seen());
    assert(error.row() == 1 && of_the_stream.row() == 3);
    std::printf("skipped row 3: %s\n", std::string(of_the_stream.reason()).c_str());
    assert(pca.rows_seen() == 2);
  }

  // Numbers of this size can be used, larger ones cannot.
  const double largest = roipca::largest_number<double>();
  pca.update(std::vector<double>{largest, 0.0});
  assert(roipca::largest_number<double>(4.0) < largest);  // in a row of weight 4

  try {
    const auto no_kernel = [](const roipca::Row<double>& x, const roipca::Row<double>& y) {
      return x[0] - y[1];  // not symmetric
    };
    roipca::KernelPca<double> kernel_pca(roipca::Kernel<double>::custom(no_kernel), {.n_components = 1});
    kernel_pca.partial_fit(roipca::Rows<double>(good.data(), 2, 2));
    return 1;
  } catch (const roipca::KernelError& error) {
    std::printf("%s\n", error.what());
  }

  try {
    roipca::load<double>("no-such-file.safetensors");
    return 1;
  } catch (const roipca::FileError& error) {
    std::printf("%s\n", error.what());
  }
}
