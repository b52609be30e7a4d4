/// The result of a fit: a plain value that can be read, copied, saved and resumed from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roipca/options.hpp"
#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca {

/// The distribution of T^2 and SPE over rows that were scored before they were learned, by the components as
/// they were before the row (by blocks: before its block): the distribution to expect of new rows. Entry j of
/// an array is for j + 1 components. The arrays have one entry for each reported component or more, at most
/// one for each held component, or none if no row was scored. A row counts in proportion to its weight times
/// the weight of all rows before it. See roipca/limits.hpp.
struct Prequential {
  std::int64_t rows = 0;           ///< number of rows scored
  double coverage = 0.0;           ///< share of the scored rows in the total score weight
  std::vector<double> t2_mean;     ///< mean of T^2
  std::vector<double> t2_spread;   ///< variance of T^2 over its squared mean
  std::vector<double> t2_third;    ///< third central moment of T^2 over the third power of its mean
  std::vector<double> spe_mean;    ///< mean of SPE
  std::vector<double> spe_spread;  ///< variance of SPE over its squared mean
  std::vector<double> spe_third;   ///< third central moment of SPE over the third power of its mean

  bool operator==(const Prequential&) const = default;
};

/// A feature whose scale is wrong: see Model::worst_scale.
struct WrongScale {
  Index feature;  ///< zero-based
  double ratio;   ///< its standard deviation divided by its scale
  Index count;    ///< number of features whose scales are off by a factor of three or more
};

/// Changes of the rows during the stream, found by comparing rows with earlier ones: see
/// docs/changing-streams.md. All members are 0 after a merge, which knows no order of the rows.
struct Change {
  double score = 0.0;    ///< how far recent rows are from earlier ones; 1 or more is a change. After a change
                         ///< it stays above 1 until there are enough rows to compare with again
  std::int64_t row = 0;  ///< approximate position, among the rows of positive weight, at which the latest
                         ///< change began; 0 if there was none
  std::int64_t count = 0;  ///< number of changes
  std::int64_t rows = 0;   ///< number of rows that were compared with earlier ones

  bool operator==(const Change&) const = default;
};

/// The scatter matrix S = sum w (x - mean)(x - mean)^T of the rows seen, represented by its leading
/// eigenpairs and its diagonal. Eigenvalues and scatter are sums over rows; the functions below turn them
/// into variances.
///
/// With Options::standardize, the model is one of rows whose features were divided by `scale`: `eigenvalues`,
/// `scatter_trace`, `basis` and all results along components refer to the divided rows. `mean`, `mean_tail`
/// and `scatter` are in the units of the given rows, and so are the rows that functions take and return.
///
/// With Missing::kImpute, NaN in rows are missing values: `transform` and `t2` are those of the row with its
/// expected values, `spe` is that of the row with its expected values times features / (number of present
/// values), and `log_likelihood` is that of the present values. Otherwise, the results of rows with a NaN are
/// NaN.
///
/// A default-constructed model is empty; assign a model to it before use.
///
/// Thread safety: the functions are const and may be called from many threads at once.
template <typename T>
struct Model {
  Options options;               ///< as the caller set them
  Resolved resolved;             ///< choices of the library that the options leave open
  Index n_components = 0;        ///< components reported: the leading ones of those held
  std::int64_t rows = 0;         ///< rows of positive weight that the model covers
  std::int64_t rows_before = 0;  ///< rows of positive weight that came before these and left the window
  double weight = 0.0;           ///< sum of the weights, after forgetting
  double weight_pairs =
      0.0;                   ///< sum over all pairs of rows of the product of their weights, after forgetting
  std::vector<double> mean;  ///< mean of each feature; zero without centring
  std::vector<double> mean_tail;       ///< rounding error of `mean`; the exact mean is the sum of the two
  std::vector<double> scatter;         ///< diagonal of S
  double scatter_trace = 0.0;          ///< trace of S
  std::vector<double> feature_weight;  ///< weight of the rows in which each feature was present; empty if
                                       ///< no value was missing
  std::int64_t empty_rows = 0;         ///< rows without any value, which were left out
  std::vector<double> scale;           ///< numbers that the features are divided by, or empty
  std::vector<double> eigenvalues;     ///< of S, descending, at most trace() together; 0 for a direction that
                                       ///< only completes the reported ones or whose variance is rounding
  OwnedRows<T> basis;  ///< the eigenvectors, held x features: orthonormal rows (to 512 epsilon, or to one
                       ///< for each feature if that is more)
  std::int64_t passes = 1;    ///< number of passes over all rows: the stream and each refinement since
  double shift = 0.0;         ///< alpha of the last refinement: see Refinement
  std::vector<double> turns;  ///< tangent of the angle by which the last refinement turned each component out
                              ///< of those held before; empty after one pass
  std::vector<double> probe_products;  ///< S omega for each random probe omega, features() numbers each, one
                                       ///< after the other; empty without Options::probes. They are of
                                       ///< standardized rows, as the eigenvalues are
  std::vector<Index> axes;  ///< how the reported components are shown: number i is the held one at place
                            ///< |axes[i]| - 1, with the sign of axes[i]. Empty: by variance, the largest
                            ///< entry of each positive
  Prequential prequential;  ///< scores of the rows before they were learned
  Change change;            ///< changes of the rows during the stream
  std::vector<std::string> feature_names;  ///< one per feature, in UTF-8, or empty; only for readers
  std::string parameters;  ///< parameters of a higher interface in its own format (UTF-8), or empty

  bool operator==(const Model&) const = default;

  Index features() const { return static_cast<Index>(mean.size()); }
  double trace() const { return scatter_trace; }

  /// Returns the reported components, one per row (n_components x features). The largest entry of each is
  /// positive unless `axes` says otherwise. All results with one number per component are in this order.
  OwnedRows<T> components() const;

  /// Returns whether the first `n_components` rows of `basis` are these components, with the same signs and
  /// in the same order: then they can be read there without a copy.
  bool is_stored_as_shown() const;

  /// Returns the divisor that turns scatter into variance: 2 weight_pairs / weight. That is W - (sum of w^2)
  /// / W for the weights w and their sum W, without its cancellation, and n - 1 for n rows of weight 1.
  /// Without centring it is `weight`. It is 0 if there are too few rows for a variance.
  double degrees_of_freedom() const;

  /// Returns the variance along each reported component, descending unless `axes` says otherwise.
  std::vector<double> explained_variance() const;
  /// Returns the same as fractions of the total variance of all features, not only of the held components.
  std::vector<double> explained_variance_ratio() const;
  /// Returns the square roots of the reported eigenvalues: the singular values of the centred rows.
  std::vector<double> singular_values() const;
  /// Returns the variance of each feature.
  std::vector<double> feature_variance() const;
  /// Returns the standard deviation of each feature (without centring: its root mean square) divided by its
  /// scale: by how much the scale, which was computed from the first rows, was off. 1 for a correct scale and
  /// for features without variance; empty without standardizing.
  std::vector<double> scale_ratio() const;
  /// Returns the feature whose scale is farthest off, if by a factor of three or more: the first rows did not
  /// show how much it varies, and it has too much or too little of the total variance. Nothing if there is
  /// none.
  std::optional<WrongScale> worst_scale() const;
  /// Returns the mean variance along the directions that are not reported; 0 if there are none.
  double noise_variance() const;

  /// Returns the scores of each row on the reported components: rows x n_components.
  OwnedRows<T> transform(const Rows<T>& x) const;
  /// Does the same for sparse rows, here and below, without making anything dense.
  OwnedRows<T> transform(const SparseRows<T>& x) const;
  /// Returns the rows with each NaN replaced by the value that the model expects, given the other values of
  /// the row. A feature that no learned row had remains NaN.
  OwnedRows<T> impute(const Rows<T>& x) const;
  /// Returns the rows that have these scores.
  OwnedRows<T> inverse_transform(const Rows<T>& scores) const;
  /// Returns the log-likelihood of each row under probabilistic PCA (Tipping and Bishop 1999) with this
  /// model's noise variance. It stays finite, even if the model has no variance at all: the noise variance is
  /// taken as at least epsilon times the largest variance, and the result is at least -1e300.
  std::vector<double> log_likelihood(const Rows<T>& x) const;
  std::vector<double> log_likelihood(const SparseRows<T>& x) const;
  /// Returns Hotelling's T^2 of each row: the sum of its squared scores divided by their variances, without
  /// the components that have no variance.
  std::vector<double> t2(const Rows<T>& x) const;
  std::vector<double> t2(const SparseRows<T>& x) const;
  /// Returns the squared prediction error (Q statistic) of each row: its squared distance from the plane of
  /// the components that have variance.
  std::vector<double> spe(const Rows<T>& x) const;
  /// For sparse rows, the result is a difference of squares: it is right to rounding of the row's squared
  /// length.
  std::vector<double> spe(const SparseRows<T>& x) const;
};

/// Returns how many of the held components explain more than `fraction` of the total variance, or nothing if
/// all of them explain less. Rows without variance need one component. All features are always enough.
template <typename T>
std::optional<Index> components_explaining(const Model<T>& model, double fraction);

/// Returns the model with another number of reported components, out of those it holds. Its options then ask
/// for that number, and for as many held components as before. Throws std::invalid_argument if it does not
/// hold that many.
template <typename T>
Model<T> reporting(Model<T> model, Index n_components);

/// Checks a model. Throws std::invalid_argument that says what is wrong: sizes that disagree, numbers that
/// are not finite or out of range, eigenvalues out of order, or components that are not orthonormal. Costs
/// O(features x held), because the angles between components are checked by a few random combinations of
/// them.
template <typename T>
void check(const Model<T>& model);

extern template struct Model<float>;
extern template struct Model<double>;
extern template std::optional<Index> components_explaining(const Model<float>&, double);
extern template std::optional<Index> components_explaining(const Model<double>&, double);
extern template Model<float> reporting(Model<float>, Index);
extern template Model<double> reporting(Model<double>, Index);
extern template void check(const Model<float>&);
extern template void check(const Model<double>&);

}  // namespace roipca
