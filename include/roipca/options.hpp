/// What a caller may choose. The defaults need no tuning.
#pragma once

#include <optional>
#include <string_view>

#include "roipca/types.hpp"

namespace roipca {

enum class Method {
  kAuto,     ///< exact where the features are few beside the components held, unless there is a window, else
             ///< roipca
  kRoipca,   ///< the paper's ROIPCA: accurate, O(k d + k^3) a row
  kFroipca,  ///< the paper's fROIPCA: O(k d) a row (one that turns a component by over 45 degrees: O(k^2 d))
  kIpca,     ///< incremental PCA (Arora et al. 2012): ROIPCA with mu = 0, by a dense small eigenproblem
  kCcipca,   ///< candid covariance-free incremental PCA (Weng et al. 2003)
  kGha,      ///< generalised Hebbian algorithm (Sanger 1989)
  kOja,      ///< Oja's rule with Gram-Schmidt
  kFrequentDirections,  ///< the sketch of Liberty and Ghashami et al.
  kExact,               ///< the d x d scatter itself: O(d^2) a row and of memory
};

/// "auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd", "exact".
std::string_view name(Method method);
/// The inverse of `name`. Throws std::invalid_argument that lists the names.
Method method_from_name(std::string_view name);

enum class UpdateEvery { kBlock, kRow };

/// What a NaN means.
enum class Missing {
  kError,   ///< a row that cannot be used
  kImpute,  ///< a missing value, which is filled by its expectation under the model so far
};

/// The stand-in for the eigenvalues that are not held (the paper's mu), for ROIPCA and fROIPCA.
struct Mu {
  enum class Kind { kMean, kZero, kFixed };

  Kind kind = Kind::kMean;
  double variance = 0.0;  ///< kFixed only: the variance along a direction outside the components

  static Mu mean() { return {}; }
  static Mu zero() { return {Kind::kZero, 0.0}; }
  static Mu fixed(double variance) { return {Kind::kFixed, variance}; }

  bool operator==(const Mu&) const = default;
};

/// How fROIPCA stands in for the rotations inside the components (the paper's tau).
enum class Tau { kZero, kOptimal };

/// The learning rate c/n of GHA and of Oja's rule, where n is the weight of the rows so far, after
/// forgetting.
struct LearningRate {
  enum class Kind {
    kScaleFree,  ///< c = 1 / (mean variance along the components so far)
    kTuned,  ///< c by five-fold cross-validation on the first 500 rows of `fit` or the first 200 of a stream;
             ///< scale-free until then
    kFixed,  ///< c as given
  };

  Kind kind = Kind::kScaleFree;
  double c = 0.0;  ///< kFixed only; what tuning finds is in Resolved

  static LearningRate scale_free() { return {}; }
  static LearningRate tuned() { return {Kind::kTuned, 0.0}; }
  static LearningRate fixed(double c) { return {Kind::kFixed, c}; }

  bool operator==(const LearningRate&) const = default;
};

/// What the signs and the order of the reported components follow.
enum class Align {
  kNone,           ///< the rows alone: the largest entry of each is positive, in descending order of variance
  kPrevious,       ///< signs closest to those of the reading before
  kPreviousOrder,  ///< signs and order closest to those of the reading before
};

struct Options {
  /// Components to report; 0 for as many as there are features.
  Index n_components = 0;
  Method method = Method::kAuto;
  /// By blocks is faster by far and the default; kRow updates the components with every row, as the paper
  /// does. For roipca and ipca; the other methods have one way only.
  UpdateEvery update_every = UpdateEvery::kBlock;
  /// Rows in a block, for UpdateEvery::kBlock: chosen by the sizes unless given. Any number up to 4096 is
  /// taken, but blocks beyond 256 rows would only cost time and have 256. In float, blocks tell directions
  /// down to about 1e-5 of the largest eigenvalue from rounding; the others are left out.
  std::optional<Index> block_size = std::nullopt;
  Mu mu = {};
  Tau tau = Tau::kZero;
  /// Components held beyond those reported: what buys accuracy. By default n_components, at least 10 and at
  /// most max(100, n_components / 5), for the methods that gain from it (roipca, ipca, fd), none for the
  /// others; never more than fit into the features.
  std::optional<Index> oversampling = std::nullopt;
  /// Subtract the running mean. Without it, the components are those of the second moments about the origin.
  bool center = true;
  /// Divide each feature by its standard deviation (without centring: its root mean square), so that the
  /// components are those of the correlation matrix. `exact` knows the deviations when the model is read. The
  /// other methods take them from the first rows and keep them: see Model::scale_ratio, and Refinement.
  bool standardize = false;
  /// Number of rows that the scales of `standardize`, and the first model that fills missing values, are
  /// taken from. These rows are held until all are there. By default 1,000; fewer, but at least 100, where
  /// those would have more than 2^22 numbers.
  std::optional<Index> first_rows = std::nullopt;
  /// Whether a NaN is an error or a missing value. Values are filled by probabilistic PCA from those of the
  /// row that are there; means are those of the values that were there, and the variance that expectations
  /// lack is added. A row without any value is counted and left out. For roipca and ipca by blocks, and
  /// exact; kAuto then means roipca. Adds O(m k^2 + k^3) to the cost of a row with m values missing and k
  /// components held, unless the row before had the same gaps.
  Missing missing = Missing::kError;
  /// Factor in (0, 1] by which all that came before is scaled down at each row; 1 forgets nothing.
  double forgetting = 1.0;
  /// Cover only the latest rows. Up to 16 k + 512 rows, where k components are held: exactly these, which are
  /// kept in memory. Larger windows merge panes of rows, each a model, and cover up to one pane more: a
  /// sixteenth of the window, or 4 k + 128 rows if that is more. Memory is that of up to 20 models, and
  /// Model::rows and Model::rows_before say which rows a reading covers. For blocks and for exact, without
  /// forgetting; such models cannot be merged.
  std::optional<Index> window = std::nullopt;
  /// With kPrevious and kPreviousOrder, a reading depends on the rows and on the reading before; the rows are
  /// learned as without it.
  Align align = Align::kNone;
  /// Number of random probes that tell the error after one pass: see roipca/accuracy.hpp. Ten make the
  /// estimate right within a factor of 3, and one adds 4 multiplications and additions per number of a row,
  /// as one component held does. Methods row by row, sparse rows, weights, forgetting, windows, threads and
  /// merging keep them; missing values that are filled exclude them.
  Index probes = 0;
  /// Threads that share the rows of a call, for blocks and for exact, without forgetting; each has its own
  /// components, and they are merged when the model is read. The result depends on the number, but not on how
  /// they were scheduled.
  Index threads = 1;
  LearningRate learning_rate = {};
  /// CCIPCA's amnesic parameter: how much more than its share a new row counts.
  double amnesia = 2.0;

  bool operator==(const Options&) const = default;
};

/// Throws std::invalid_argument that names the first option that is out of range.
void check(const Options& options);

/// Components to report, and to hold, for rows of `features` numbers. Throws std::invalid_argument when more
/// components are asked for than there are features.
struct Capacity {
  Index reported = 0;
  Index held = 0;
};
Capacity capacity(const Options& options, Index features);

/// What the library chose where the options leave it the choice.
struct Resolved {
  Method method = Method::kAuto;  ///< the method in use; kAuto only before the first row
  double learning_rate = 0.0;     ///< c of the rate c/n that tuning found; 0 if nothing was tuned

  bool operator==(const Resolved&) const = default;
};

/// Number of rows to hold before the first of rows of `features` numbers is added: 0 if the options ask for
/// nothing that the first rows must tell.
Index rows_to_hold(const Options& options, Index features);

/// The method that kAuto stands for with rows of `features` numbers; any other stands for itself.
Method resolve(const Options& options, Index features);

}  // namespace roipca
