// Tells two circles apart, which no straight line does, with a bounded number of rows in memory.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <roipca/kernel_pca.hpp>

int main() {
  // 600 points, by turns on a circle of radius 1 and on one of radius 3.
  roipca::OwnedRows<double> points(600, 2);
  for (roipca::Index i = 0; i < points.rows(); ++i) {
    const double radius = i % 2 == 0 ? 1.0 : 3.0;
    points(i, 0) = radius * std::cos(0.1 * i);
    points(i, 1) = radius * std::sin(0.1 * i);
  }

  roipca::KernelOptions options = {.n_components = 1, .center = true, .budget = 60, .tolerance = 1e-3};
  options.oversampling = 20;  // eigenpairs held beyond those reported, if not all are held
  roipca::check(options);     // throws if one is out of range

  const auto kernel = roipca::Kernel<double>::rbf(0.3);
  roipca::KernelPca<double> pca(kernel, options);
  pca.fit(points.slice(0, 200));            // starts anew
  pca.partial_fit(points.slice(200, 200));  // adds rows
  assert(pca.options().budget == 60);
  assert(pca.features() == 2 && pca.rows_seen() == 400);

  // Stops, and resumes with the same bits. The kernel is not part of the state.
  auto resumed = roipca::KernelPca<double>::from_state(kernel, pca.state());
  resumed.partial_fit(points.slice(400, 200));

  // Read the components once to transform many rows.
  const roipca::KernelComponents components = resumed.components();
  const roipca::OwnedRows<double> scores = resumed.transform(points, components);
  for (roipca::Index i = 0; i < points.rows(); ++i) assert((scores(i, 0) > 0.0) == (scores(i % 2, 0) > 0.0));
  assert((scores(0, 0) > 0.0) != (scores(1, 0) > 0.0));

  // A component is a combination of the kept rows, which are few.
  const roipca::OwnedRows<double> kept = resumed.kept_rows();
  assert(kept.rows() <= 60 && components.eigenvectors.cols() == kept.rows());
  assert(components.offset.size() == resumed.kept_numbers().size());
  assert(kept(0, 0) == points(resumed.kept_numbers()[0], 0));
  std::printf("%d rows kept, eigenvalue %.1f, not represented: %.1e\n", static_cast<int>(kept.rows()),
              components.eigenvalues[0], resumed.representation_error());
}
