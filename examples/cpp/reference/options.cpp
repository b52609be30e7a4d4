// Options for some kinds of streams, and what the library makes of them.
#include <cassert>
#include <cstdio>
#include <roipca/options.hpp>
#include <string>

int main() {
  // A sensor whose habits change: older rows count less and less.
  const roipca::Options drifting = {.n_components = 5, .forgetting = 0.999};
  // Only the last 10,000 rows, with axes that stay comparable from one reading to the next.
  const roipca::Options recent = {
      .n_components = 5, .window = 10'000, .align = roipca::Align::kPreviousOrder};
  // A survey: answers in different units, some of them missing.
  const roipca::Options survey = {
      .n_components = 5, .standardize = true, .first_rows = 500, .missing = roipca::Missing::kImpute};
  // A large file on four cores: blocks of 128 rows, more components held, and the error measured.
  const roipca::Options file = {
      .n_components = 20, .block_size = 128, .oversampling = 40, .probes = 10, .threads = 4};
  // Word counts, about the origin.
  const roipca::Options words = {.n_components = 100, .center = false};
  for (const auto& options : {drifting, recent, survey, file, words}) roipca::check(options);

  // The paper's algorithms, row by row.
  const roipca::Options paper = {.n_components = 5,
                                 .method = roipca::Method::kRoipca,
                                 .update_every = roipca::UpdateEvery::kRow,
                                 .mu = roipca::Mu::mean()};
  roipca::Options fast = paper;
  fast.method = roipca::method_from_name("froipca");
  fast.mu = roipca::Mu::zero();
  fast.tau = roipca::Tau::kOptimal;
  roipca::Options fixed = paper;
  fixed.mu = roipca::Mu::fixed(0.01);
  assert(fixed.mu.kind == roipca::Mu::Kind::kFixed && fixed.mu.variance == 0.01);

  // The algorithms that it compares with.
  roipca::Options oja = {.n_components = 5, .method = roipca::Method::kOja};
  oja.learning_rate = roipca::LearningRate::scale_free();
  oja.learning_rate = roipca::LearningRate::tuned();
  oja.learning_rate = roipca::LearningRate::fixed(0.5);
  assert(oja.learning_rate.kind == roipca::LearningRate::Kind::kFixed && oja.learning_rate.c == 0.5);
  const roipca::Options ccipca = {.n_components = 5, .method = roipca::Method::kCcipca, .amnesia = 3.0};
  for (const auto& options : {paper, fast, fixed, oja, ccipca}) roipca::check(options);

  // What the options mean for rows of 1,000 features.
  const roipca::Capacity components = roipca::capacity(file, 1000);
  assert(components.reported == 20 && components.held == 60);
  assert(roipca::rows_to_hold(survey, 1000) == 500);
  // A file that will be read twice: all products of 1,000 features are kept, so that one pass is exact.
  const roipca::Options twice = roipca::for_more_passes({.n_components = 20}, 1000);
  assert(twice.method == roipca::Method::kExact);
  const roipca::Resolved resolved = {.method = roipca::resolve(file, 1000),
                                     .learning_rate = oja.learning_rate.c};
  std::printf("auto means %s here\n", std::string(roipca::name(resolved.method)).c_str());
  assert(resolved.method == roipca::Method::kRoipca);
}
