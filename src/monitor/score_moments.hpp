/// The scores of a stream's rows, each taken before the row was learned.
#pragma once

#include <cstdint>

#include "monitor/block_scores.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Number of rows before which scores say more about the components than about the rows.
inline std::int64_t rows_before_scores(Index reported) { return 3 * (reported + 1); }

/// Whether the rows of a block are to be scored: all of a short stream and, because scores cost a few percent
/// of an update, one block in four of a long one.
inline bool is_scored(std::int64_t rows_before, Index block_rows) {
  constexpr std::int64_t kAtFirst = 64;
  constexpr std::int64_t kEvery = 4;
  const std::int64_t number = rows_before / block_rows;
  return number < kAtFirst || number % kEvery == 0;
}

/// Number of leading components up to which rows are scored: those that a model has.
inline Index scored_components(const Options& options, Index features) {
  const auto [reported, held] = capacity(options, features);
  return resolve(options, features) == Method::kExact ? reported : held;
}

/// Combines two sets of moments; `weight_a` and `weight_b` are the weights of their rows.
Prequential combine(const Prequential& a, double weight_a, const Prequential& b, double weight_b);

/// Returns the moments of the rows of two models, or of two streams, that have these pairs of rows (see
/// Model::weight_pairs) and together `all_pairs`.
Prequential merged_scores(const Prequential& a, double pairs_a, const Prequential& b, double pairs_b,
                          double all_pairs);

/// Sums up BlockScores. A row counts in proportion to its weight times the weight of all rows before it, as
/// in Model::weight_pairs: scores by components of few rows, which are too large, soon count little, and
/// forgetting is that of the rows.
class ScoreMoments {
 public:
  explicit ScoreMoments(Index components) : components_(components) {}
  /// Resumes from those of a model.
  ScoreMoments(const Prequential& from, Index components);

  /// Takes the scores of a block of `count` rows that has this share of the pairs of rows so far.
  void add(const BlockScores& scores, Index count, double pairs_share, double unit);

  /// For the first `components`.
  Prequential value(Index components) const;
  void visit_state(state::Archive& archive);

 private:
  Index components_;
  Prequential moments_;
};

}  // namespace roipca
