// Fits parts of the rows in threads of their own and merges the models. The same works for processes and
// machines, which would send each other model files. (One estimator can also use several threads:
// Options::threads.)
#include <cstdio>
#include <random>
#include <roipca/roipca.hpp>
#include <thread>
#include <vector>

namespace {

constexpr roipca::Index kFeatures = 100;

roipca::Model<float> fit_part(unsigned part) {
  std::mt19937 random(part);
  std::normal_distribution<float> normal;
  roipca::OnlinePca<float> pca({.n_components = 5});
  std::vector<float> rows(100 * kFeatures);
  for (int call = 0; call < 50; ++call) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = normal(random) / (1.0F + static_cast<float>(i % kFeatures));
    pca.partial_fit(roipca::Rows<float>(rows.data(), 100, kFeatures));
  }
  return pca.model();
}

}  // namespace

int main() {
  std::vector<roipca::Model<float>> models(4);
  std::vector<std::thread> threads;
  for (unsigned part = 0; part < models.size(); ++part) {
    threads.emplace_back([part, &models] { models[part] = fit_part(part); });
  }
  for (std::thread& thread : threads) thread.join();

  const auto all = roipca::merge(std::span<const roipca::Model<float>>(models));
  std::printf("%lld rows\n", static_cast<long long>(all.rows));
  for (double variance : all.explained_variance()) std::printf("variance %.4f\n", variance);
}
