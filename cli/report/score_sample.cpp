#include "report/score_sample.hpp"

#include <algorithm>

#include "row_choice.hpp"

namespace roipca::cli {
namespace {

constexpr Index kRows = 1000;

template <typename T>
ScoreSample sampled(const Model<T>& model, const InputOptions& input) {
  RowSource<T> source(input.settings_for(model.features(), takes_gaps(model)));
  require_features(source, model);
  RowChoice choice(kRows);
  std::vector<std::array<double, 2>> scores(kRows);
  const Index shown = std::min<Index>(model.n_components, 2);
  Progress progress;
  while (const PlacedRows<T>* block = source.next()) {
    check_interrupt();
    for (Index i = 0; i < block->count; ++i) {
      const auto place = choice.pass();
      if (!place) continue;
      const OwnedRows<T> row =
          block->visit([&](const auto& rows) { return model.transform(rows.slice(0, 1)); }, i);
      for (Index j = 0; j < shown; ++j) {
        scores[static_cast<std::size_t>(*place)][static_cast<std::size_t>(j)] = row(0, j);
      }
    }
    progress.update(choice.rows(), block->fraction);
  }
  check_interrupt();
  report_skipped(source.skipped());
  ScoreSample sample;
  sample.rows = choice.rows();
  for (const auto& chosen : choice.chosen()) {
    sample.chosen.push_back({chosen.row, scores[static_cast<std::size_t>(chosen.place)]});
  }
  return sample;
}

}  // namespace

ScoreSample sample_scores(const AnyModel& model, const InputOptions& input) {
  return std::visit([&](const auto& m) { return sampled(m, input); }, model);
}

}  // namespace roipca::cli
