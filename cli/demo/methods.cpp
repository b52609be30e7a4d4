#include "demo/methods.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "roipca/roipca.hpp"

namespace roipca::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double dot(Row<double> a, Row<double> b) { return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0); }

// to += factor * from
void add(double factor, Row<double> from, std::span<double> to) {
  std::transform(from.begin(), from.end(), to.begin(), to.begin(),
                 [factor](double x, double y) { return y + factor * x; });
}

// Gram-Schmidt, twice: the second round removes what rounding left of the first.
void orthonormalise(OwnedRows<double>& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    for (int round = 0; round < 2; ++round) {
      for (Index j = 0; j < i; ++j) add(-dot(rows.row(i), rows.row(j)), rows.row(j), rows.row(i));
    }
    const double length = std::sqrt(dot(rows.row(i), rows.row(i)));
    for (double& number : rows.row(i)) number /= length;
  }
}

// Simulates measured data: a mean, a few strong directions, a tail of weaker ones, and noise.
OwnedRows<double> make_rows(const MethodsSettings& settings) {
  std::mt19937_64 random{settings.seed};
  std::normal_distribution<double> normal;
  const auto draw = [&](Index rows, Index columns) {
    OwnedRows<double> x(rows, columns);
    for (double& number : std::span(x.data(), static_cast<std::size_t>(x.size()))) number = normal(random);
    return x;
  };
  OwnedRows<double> directions =
      draw(std::min(4 * settings.components, settings.features), settings.features);
  orthonormalise(directions);
  const OwnedRows<double> mean = draw(1, settings.features);
  OwnedRows<double> x = draw(settings.rows, settings.features);
  for (Index i = 0; i < x.rows(); ++i) {
    for (double& number : x.row(i)) number *= 0.3;
    add(10.0, Rows<double>(mean).row(0), x.row(i));
    for (Index j = 0; j < directions.rows(); ++j) {
      const double strength = 3.0 * std::pow(1.0 + static_cast<double>(j), -0.7);
      add(strength * normal(random), Rows<double>(directions).row(j), x.row(i));
    }
  }
  return x;
}

struct Contender {
  std::string label;
  Options options;
};

std::vector<Contender> contenders(Index components) {
  const auto paper = [&](Method method) {
    return Options{
        .n_components = components, .method = method, .update_every = UpdateEvery::kRow, .oversampling = 0};
  };
  const auto tuned = [&](Method method) {
    Options options = paper(method);
    options.learning_rate = LearningRate::tuned();
    return options;
  };
  return {{"roipca by blocks, the default", {.n_components = components}},
          {"roipca, as in the paper", paper(Method::kRoipca)},
          {"froipca, as in the paper", paper(Method::kFroipca)},
          {"ipca", paper(Method::kIpca)},
          {"ccipca", paper(Method::kCcipca)},
          {"gha, rate tuned", tuned(Method::kGha)},
          {"oja, rate tuned", tuned(Method::kOja)},
          {"frequent directions", {.n_components = components, .method = Method::kFrequentDirections}}};
}

}  // namespace

void compare_methods(const MethodsSettings& settings) {
  const OwnedRows<double> x = make_rows(settings);
  // As in the paper's experiments: a batch PCA of the first rows, then updates row by row.
  const Index first = std::min<Index>(500, settings.rows / 2);
  std::printf("%d rows of %d features, %d components: %td rows to start from, the others one at a time\n\n",
              settings.rows, settings.features, settings.components, first);

  auto start = Clock::now();
  const auto truth = batch_pca<double>(x, {.n_components = settings.components, .oversampling = 0});
  const double batch_seconds = seconds_since(start);
  const OwnedRows<double> u = truth.components();

  std::printf("%-30s %16s %12s %14s\n", "method", "subspace error", "us per row", "vectors held");
  for (const auto& [label, options] : contenders(settings.components)) {
    OnlinePca<double> pca(options);
    pca.fit(x.slice(0, first));
    start = Clock::now();
    for (Index i = first; i < x.rows(); ++i) pca.update(x.row(i));
    const double micros = 1e6 * seconds_since(start) / static_cast<double>(x.rows() - first);
    const double error = subspace_error(u, pca.model().components());
    std::printf("%-30s %16.1e %12.2f %14td\n", label.c_str(), error, micros,
                capacity(options, settings.features).held);
  }
  std::printf("%-30s %16s %12.2f %14d\n", "batch PCA, all in memory", "0",
              1e6 * batch_seconds / settings.rows, settings.rows);
  std::printf(
      "\nerror: |UU' - VV'|^2 / |UU'|^2 against batch PCA; 0 is the same subspace, 2 an orthogonal one\n");
  std::printf("vectors held: of %d numbers, besides a few for the mean and for work in progress\n",
              settings.features);
}

}  // namespace roipca::cli
