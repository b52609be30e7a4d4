/// The options of an estimator. The defaults need no tuning.
#pragma once

#include <optional>
#include <string_view>

#include "roipca/types.hpp"

namespace roipca {

enum class Method {
  kAuto,     ///< exact if there are few features relative to the held components, and no window;
             ///< otherwise roipca
  kRoipca,   ///< the paper's ROIPCA: accurate, O(k d + k^3) per row
  kFroipca,  ///< the paper's fROIPCA: O(k d) per row (O(k^2 d) if a row turns a component by over 45 degrees)
  kIpca,     ///< incremental PCA (Arora et al. 2012): ROIPCA with mu = 0, by a dense small eigenproblem
  kCcipca,   ///< candid covariance-free incremental PCA (Weng et al. 2003)
  kGha,      ///< generalised Hebbian algorithm (Sanger 1989)
  kOja,      ///< Oja's rule with Gram-Schmidt
  kFrequentDirections,  ///< the sketch of Liberty and Ghashami et al.
  kExact,               ///< the d x d scatter itself: O(d^2) time per row and O(d^2) memory
};

/// Returns "auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd" or "exact".
std::string_view name(Method method);
/// The inverse of `name`. Throws std::invalid_argument that lists the names.
Method method_from_name(std::string_view name);

enum class UpdateEvery { kBlock, kRow };

/// The meaning of a NaN in a row.
enum class Missing {
  kError,   ///< an error: the row cannot be used
  kImpute,  ///< a missing value, which is replaced by its expectation under the model so far
};

/// The value assumed for the eigenvalues that are not held (the paper's mu), for ROIPCA and fROIPCA.
struct Mu {
  enum class Kind { kMean, kZero, kFixed };

  Kind kind = Kind::kMean;
  double variance = 0.0;  ///< kFixed only: the variance along a direction outside the components

  static Mu mean() { return {}; }
  static Mu zero() { return {Kind::kZero, 0.0}; }
  static Mu fixed(double variance) { return {Kind::kFixed, variance}; }

  bool operator==(const Mu&) const = default;
};

/// How fROIPCA approximates rotations within the components (the paper's tau).
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
  double c = 0.0;  ///< kFixed only; a tuned c is in Resolved

  static LearningRate scale_free() { return {}; }
  static LearningRate tuned() { return {Kind::kTuned, 0.0}; }
  static LearningRate fixed(double c) { return {Kind::kFixed, c}; }

  bool operator==(const LearningRate&) const = default;
};

/// The rule for the signs and the order of the reported components.
enum class Align {
  kNone,           ///< the rows alone: the largest entry of each is positive, in descending order of variance
  kPrevious,       ///< signs closest to those of the previous reading
  kPreviousOrder,  ///< signs and order closest to those of the previous reading
};

struct Options {
  /// Number of components to report; 0 for the number of features.
  Index n_components = 0;
  Method method = Method::kAuto;
  /// When roipca and ipca update the components. By blocks, the default, is much faster; kRow updates them
  /// with every row, as the paper does. The other methods have only one way.
  UpdateEvery update_every = UpdateEvery::kBlock;
  /// Number of rows per block, for UpdateEvery::kBlock; chosen by the sizes unless given. Numbers up to 4096
  /// are accepted, but blocks never have more than 256 rows, since larger ones would only cost time. In
  /// float, blocks can tell directions from rounding down to about 1e-5 of the largest eigenvalue; smaller
  /// directions are left out.
  std::optional<Index> block_size = std::nullopt;
  Mu mu = {};
  Tau tau = Tau::kZero;
  /// Number of components held beyond those reported. More are more accurate. The default is n_components, at
  /// least 10 and at most max(100, n_components / 5), for the methods that gain from it (roipca, ipca, fd),
  /// and 0 for the others; never more than the features allow.
  std::optional<Index> oversampling = std::nullopt;
  /// Subtract the running mean. Without it, the components are those of the second moments about the origin.
  bool center = true;
  /// Divide each feature by its standard deviation (without centring: its root mean square), so that the
  /// components are those of the correlation matrix. `exact` knows the deviations when the model is read. The
  /// other methods compute them from the first rows and keep them: see Model::scale_ratio and Refinement.
  bool standardize = false;
  /// Number of first rows from which `standardize` computes the scales, and Missing::kImpute the first model.
  /// These rows are held until all of them have arrived. The default is 1,000, or fewer, but at least 100, if
  /// 1,000 rows would have more than 2^22 numbers.
  std::optional<Index> first_rows = std::nullopt;
  /// Whether a NaN is an error or a missing value. Missing values are replaced, by probabilistic PCA, from
  /// the present values of the row. Means are those of the present values, and the variance that expectations
  /// lack is added. A row without any value is counted and left out. For roipca and ipca by blocks, and for
  /// exact; kAuto then means roipca. Adds O(m k^2 + k^3) to the cost of a row with m missing values and k
  /// held components, unless the previous row had the same gaps.
  Missing missing = Missing::kError;
  /// Factor in (0, 1] on the weight of all earlier rows at each row; 1 forgets nothing.
  double forgetting = 1.0;
  /// Number of latest rows to cover; all rows unless given. A window of up to 16 k + 512 rows, where k
  /// components are held, is exact and keeps its rows in memory. A larger window merges panes of rows, each a
  /// model, and covers up to one pane more: a sixteenth of the window, or 4 k + 128 rows if that is more. It
  /// takes the memory of up to 20 models. Model::rows and Model::rows_before tell which rows a reading
  /// covers. For blocks and for exact, without forgetting; such models cannot be merged.
  std::optional<Index> window = std::nullopt;
  /// How the signs and the order of components follow from one reading to the next. With kPrevious and
  /// kPreviousOrder, a reading depends on the rows and on the previous reading; the option does not change
  /// how rows are learned.
  Align align = Align::kNone;
  /// Number of random probes, which estimate the error after one pass: see roipca/accuracy.hpp. With ten
  /// probes, the estimate is right within a factor of 3. Like a held component, a probe adds 4
  /// multiplications and additions per number of a row. Row-by-row methods, sparse rows, weights, forgetting,
  /// windows, threads and merging keep them; Missing::kImpute excludes them.
  Index probes = 0;
  /// Number of threads that share the rows of a call, for blocks and for exact, without forgetting. Each has
  /// its own components, and they are merged when the model is read. The result depends on the number of
  /// threads, but not on their schedule.
  Index threads = 1;
  LearningRate learning_rate = {};
  /// CCIPCA's amnesic parameter: the extra weight of a new row.
  double amnesia = 2.0;

  bool operator==(const Options&) const = default;
};

/// Throws std::invalid_argument that names the first option that is out of range.
void check(const Options& options);

/// The numbers of components to report and to hold.
struct Capacity {
  Index reported = 0;
  Index held = 0;
};
/// Returns these numbers for rows of `features` numbers. Throws std::invalid_argument if more components are
/// requested than there are features.
Capacity capacity(const Options& options, Index features);

/// Returns the options for rows that will be read more than once (roipca/refinement.hpp). Only kAuto changes:
/// with up to 1,024 features it becomes kExact, which needs no second pass, whatever the oversampling; with
/// more, at least 60 components are held beyond those reported, unless an oversampling is given. The options
/// of windows and of missing values stay as they are. Do not use it for sparse rows, whose first pass would
/// become several times slower. Throws what `capacity` throws.
Options for_more_passes(Options options, Index features);

/// Choices of the library that the options leave open.
struct Resolved {
  Method method = Method::kAuto;  ///< the method in use; kAuto only before the first row
  double learning_rate = 0.0;     ///< tuned c of the rate c/n; 0 if it was not tuned

  bool operator==(const Resolved&) const = default;
};

/// Returns the number of rows of `features` numbers to hold before the first of them is added: 0 if the
/// options need nothing from the first rows.
Index rows_to_hold(const Options& options, Index features);

/// Returns the method that kAuto means for rows of `features` numbers; any other method means itself.
Method resolve(const Options& options, Index features);

}  // namespace roipca
