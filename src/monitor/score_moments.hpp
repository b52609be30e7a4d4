/// Moments of the scores of a stream's rows, each taken before the row was learned.
#pragma once

#include <cstdint>

#include "monitor/block_scores.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Number of rows below which scores say more about the components than about the rows.
inline std::int64_t rows_before_scores(Index reported) { return 3 * (reported + 1); }

/// Returns whether the rows of a block are scored: all of a short stream and, because scores cost time, one
/// block in four of a long one. (Learning a row takes 1.15 times as long with scores at 784 features and 20
/// components, and 1.7 times at 100 features and 10 components.) A quarter of a few thousand rows is too few
/// for the third moment: with 3,000 rows, 0.14 to 1.2 times the nominal number of Gaussian rows were beyond
/// the limit of SPE at 99.9 %, instead of 0.45 to 1.1 times.
inline bool is_scored(std::int64_t rows_before, Index block_rows) {
  constexpr std::int64_t kRowsAtFirst = 8192;
  constexpr std::int64_t kBlocksAtFirst = 64;
  constexpr std::int64_t kEvery = 4;
  const std::int64_t number = rows_before / block_rows;
  return rows_before < kRowsAtFirst || number < kBlocksAtFirst || number % kEvery == 0;
}

/// Returns the number of leading components up to which rows are scored: those of a model.
inline Index scored_components(const Options& options, Index features) {
  const auto [reported, held] = capacity(options, features);
  return resolve(options, features) == Method::kExact ? reported : held;
}

/// The weight of the score of a row. Without forgetting (also with a window), it is proportional to the
/// weight of the row times the third power of the weight of all rows before it: scores by components of few
/// rows, which are too large, soon count little. If components of n rows make scores too large by c / n, the
/// weighted mean over n rows is too large by 4/3 c / n. With forgetting, it is the weight before the row
/// itself, as in Model::weight_pairs, since few rows count anyway.
class ScoreWeights {
 public:
  explicit ScoreWeights(double forgetting) : are_squares_(forgetting == 1.0) {}

  /// Returns the weight of scores that cover `pairs` of `all` pairs of rows, relative to scores that cover
  /// all. Pairs grow as the square of the rows' weight, and the square of their number as its fourth power.
  double of(double pairs, double all) const {
    return are_squares_ ? pairs / all * (pairs / all) : pairs / all;
  }
  /// Returns the weight of the last rows, which have this share of all pairs.
  double of_last(double share) const { return are_squares_ ? share * (2.0 - share) : share; }

 private:
  bool are_squares_;
};

/// Combines two sets of moments; `weight_a` and `weight_b` are the weights of their rows.
Prequential combine(const Prequential& a, double weight_a, const Prequential& b, double weight_b);

/// Returns the moments of the rows of two models, or of two streams, that have these pairs of rows (see
/// Model::weight_pairs) and together `all_pairs`.
Prequential merged_scores(const Prequential& a, double pairs_a, const Prequential& b, double pairs_b,
                          double all_pairs, ScoreWeights weights);

/// Sums up BlockScores.
class ScoreMoments {
 public:
  explicit ScoreMoments(Index components) : components_(components) {}
  /// Resumes from the moments of a model.
  ScoreMoments(const Prequential& from, Index components);

  /// Adds the scores of a block of `count` rows, which count as this fraction of all so far (see
  /// ScoreWeights), unless memory ends at the first ones.
  void add(const BlockScores& scores, Index count, double share, double unit);

  /// The moments for all components.
  const Prequential& so_far() const { return moments_; }
  /// Returns the moments for the first `components` components.
  Prequential value(Index components) const;
  void visit_state(state::Archive& archive);

 private:
  bool has_room();

  Index components_;
  Prequential moments_;
};

}  // namespace roipca
