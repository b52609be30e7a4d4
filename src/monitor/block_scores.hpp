/// T^2 and SPE of the rows of a block, before the block is added.
#pragma once

#include <new>

#include "basis/split.hpp"
#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

struct Prequential;

/// The distribution of a score over the rows of a block, for each number of leading components: entry j is
/// for j + 1 of them.
struct ScoreDistribution {
  Vector<double> mean;
  Vector<double> spread;  ///< variance over the squared mean
  Vector<double> third;   ///< third central moment over the third power of the mean

  void resize(Index components) {
    for (auto* part : {&mean, &spread, &third}) part->setZero(components);
  }
  bool is_finite() const { return mean.allFinite() && spread.allFinite() && third.allFinite(); }
};

struct BlockScores {
  bool is_wanted = false;  ///< set when the block is closed: engines that can score its rows do so
  bool is_known = false;   ///< set by the engine
  /// Scores of earlier rows, set before an engine absorbs the block: a score far above them counts as less.
  /// Null: there are none.
  const Prequential* so_far = nullptr;
  double unit = 1.0;  ///< of the block
  ScoreDistribution t2;
  ScoreDistribution spe;  ///< in the squared unit of the block
};

/// Scores a block by `score` if that is wanted. If memory ends, the block has no scores: its rows, which are
/// in the moments already, must be learned in any case. `score` must leave everything but the scores as it
/// was, or usable.
template <typename Score>
void score_if_wanted(BlockScores& scores, Score score) {
  if (!scores.is_wanted) return;
  try {
    score();
  } catch (const std::bad_alloc&) {
    scores = BlockScores();
  }
}

/// Fraction of the trace below which the variance along a component may be no more than rounding: see
/// make_reportable.
template <typename T>
inline constexpr double kScoreNoise = 1024.0 * kNoise<T>* kNoise<T>;

/// Residuals of components, relative to the largest eigenvalue, that are far below the uncertainty of scores.
inline constexpr double kForScores = 1e-10;

/// The rows X = (I - pull u u^T) V as measured by an update: see BlockWeights.
struct MeasuredRows {
  Index count;
  const double* dots;  ///< X Z, row by row
  Index dots_stride;
  const double* products;  ///< the lower triangle of X X^T, row by row
  Index products_stride;
  const double* roots;  ///< u
  double pull;
};

/// Values of a block that were filled, which do not count in SPE: see filled_values.hpp. SPE of a row is then
/// that of its present values times features / (number of present values), as that of a model. They are read
/// a few at a time: a table of them and of the components would be larger than the components.
class FilledValues {
 public:
  static constexpr Index kAtOnce = 64;

  virtual ~FilledValues() = default;
  virtual Index features() const = 0;
  /// Reads the next filled values of a row in V, from `feature` on, and the entries of the components for
  /// their features, one row per value. Returns their number, at most kAtOnce, or 0 if there are no more, and
  /// moves `feature` behind them.
  virtual Index read(Index row, Index& feature, double* values, simd::AlignedRows<double>& entries) const = 0;
};

/// Computes BlockScores. Allocates at construction only, apart from the first result.
class BlockScorer {
 public:
  BlockScorer(Index capacity, Index max_rows);

  /// Scores rows by the `rank` orthonormal components Z `normal` (null: Z itself) and the variances along
  /// them. Components whose variance is no more than `noise` are left out, as they are from the scores of a
  /// model. `filled` are null if there are none.
  void score(const MeasuredRows& rows, Index rank, const Matrix<double>* normal,
             const Vector<double>& variances, double noise, BlockScores& scores,
             const FilledValues* filled = nullptr);

  /// Does the same for rows V whose products with the components and whose squares are known directly.
  void score(Index count, const RowMatrix<double>& dots, const double* squares, const double* roots,
             const Vector<double>& variances, double noise, BlockScores& scores,
             const FilledValues* filled = nullptr);

 private:
  void find_filled(const FilledValues& filled, Index count, Index rank, const Matrix<double>* normal,
                   const Vector<double>& variances, double noise);
  void find_moments(Index count, const double* roots, Index rank, const Vector<double>& variances,
                    double noise, BlockScores& scores, bool has_filled);

  Index capacity_;
  simd::AlignedRows<double> coordinates_;  // V Z, one row per row
  simd::AlignedRows<double> normal_;       // one row per component
  RowMatrix<double> turned_;               // coordinates along the components, one row per component
  Vector<double> squares_;                 // |v|^2
  Vector<double> along_;                   // u^T X Z
  Vector<double> shared_;                  // X X^T u
  Vector<double> weights_, scales_, t2_, spe_, terms_, spe_present_;
  // Of a few filled values:
  simd::AlignedRows<double> entries_;  // of the components as given, one row per value
  RowMatrix<double> turned_entries_;   // along the components, one row per component
  Vector<double> left_;                // what the components so far leave of the values
  // Of all of them:
  RowMatrix<double> filled_spe_;  // their part in the SPE of each row; one row per number of components
  Vector<double> factors_;        // features / present values, for each row
};

}  // namespace roipca
