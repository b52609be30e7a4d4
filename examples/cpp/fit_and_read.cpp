// Fits rows as they arrive, reads the result, saves it and loads it again.
#include <cstdio>
#include <random>
#include <roipca/roipca.hpp>
#include <vector>

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "model.safetensors";
  constexpr roipca::Index kFeatures = 50;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;

  roipca::OnlinePca<double> pca({.n_components = 3});
  for (int call = 0; call < 100; ++call) {
    // 20 rows whose first features vary most.
    std::vector<double> rows(20 * kFeatures);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = normal(random) / (1.0 + static_cast<double>(i % kFeatures));
    pca.partial_fit(roipca::Rows<double>(rows.data(), 20, kFeatures));
  }

  const roipca::Model<double> model = pca.model();
  for (double ratio : model.explained_variance_ratio()) std::printf("%.1f %% of the variance\n", 100 * ratio);

  roipca::save(model, path);
  const std::vector<double> row(kFeatures, 1.0);
  const auto scores = roipca::load<double>(path).transform(roipca::Rows<double>(row.data(), 1, kFeatures));
  std::printf("scores of a row of ones: %.3f %.3f %.3f\n", scores(0, 0), scores(0, 1), scores(0, 2));
}
