/// The result of a fit: a plain value that can be read, copied, saved and continued from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roipca/options.hpp"
#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca {

/// The distribution of T^2 and SPE over rows that were scored by the components as they were before the row
/// (by blocks: before its block) was learned: what new rows will have. Entry j of an array is for j + 1
/// components; the arrays have an entry for each component reported or more, at most one for each component
/// held, or none where no row was scored. A row counts in proportion to its weight times that of all rows
/// before it. See roipca/limits.hpp.
struct Prequential {
  std::int64_t rows = 0;           ///< rows scored
  double coverage = 0.0;           ///< share of the total score weight that the scored rows have
  std::vector<double> t2_mean;     ///< mean of T^2
  std::vector<double> t2_spread;   ///< variance of T^2 over its squared mean
  std::vector<double> t2_third;    ///< third central moment of T^2 over the third power of its mean
  std::vector<double> spe_mean;    ///< mean of SPE
  std::vector<double> spe_spread;  ///< variance of SPE over its squared mean
  std::vector<double> spe_third;   ///< third central moment of SPE over the third power of its mean

  bool operator==(const Prequential&) const = default;
};

/// Whether the rows have changed on their way, as far as comparing them with earlier ones tells: see
/// docs/changing-streams.md. All of it is 0 after a merge, which knows no order of the rows.
struct Change {
  double score = 0.0;    ///< how far recent rows are from earlier ones; from 1 on, that is a change. After a
                         ///< change it stays above 1 until there are enough rows to compare with again
  std::int64_t row = 0;  ///< position of the row, among those of positive weight, at which the latest change
                         ///< began, as an estimate; 0 if there was none
  std::int64_t count = 0;  ///< number of changes
  std::int64_t rows = 0;   ///< number of rows that were compared with earlier ones

  bool operator==(const Change&) const = default;
};

/// The scatter matrix S = sum w (x - mean)(x - mean)^T of the rows seen, known by its leading eigenpairs and
/// its diagonal. Eigenvalues and scatter are sums over rows; the functions below turn them into variances.
///
/// With Options::standardize, the model is one of rows whose features were divided by `scale`: `eigenvalues`,
/// `scatter_trace` and `basis`, and all results along components, are of these rows. `mean`, `mean_tail` and
/// `scatter` are in the units of the rows as they were given, and so are the rows that functions take and
/// return.
///
/// With Missing::kImpute, NaN in rows are missing values: `transform` and `t2` are those of the row with its
/// expected values, `spe` is that of the expected row times features / values that are there, and
/// `log_likelihood` is that of the values that are there. Otherwise rows with a NaN have results of NaN.
///
/// A default-constructed model is empty, to be assigned to.
///
/// Thread safety: the functions are const and may be called from many threads at once.
template <typename T>
struct Model {
  Options options;               ///< what was asked for
  Resolved resolved;             ///< what the library chose where the options leave it the choice
  Index n_components = 0;        ///< components reported: the leading ones of those held
  std::int64_t rows = 0;         ///< rows of positive weight that the model covers
  std::int64_t rows_before = 0;  ///< rows of positive weight that came before these and left the window
  double weight = 0.0;           ///< sum of the weights, after forgetting
  double weight_pairs =
      0.0;                   ///< sum over all pairs of rows of the product of their weights, after forgetting
  std::vector<double> mean;  ///< of each feature; zero without centring
  std::vector<double> mean_tail;       ///< what rounding cut off `mean`; the exact mean is the sum of the two
  std::vector<double> scatter;         ///< diagonal of S
  double scatter_trace = 0.0;          ///< of S
  std::vector<double> feature_weight;  ///< weight of the rows in which each feature was there; none if no
                                       ///< value was missing
  std::int64_t empty_rows = 0;         ///< rows without any value, which were left out
  std::vector<double> scale;           ///< numbers that the features are divided by, or none: see below
  std::vector<double> eigenvalues;  ///< of S, descending, at most trace() together; 0 where a direction only
                                    ///< fills up the reported ones or its variance is rounding
  OwnedRows<T> basis;               ///< the eigenvectors, held x features: orthonormal rows (to 512 epsilon)
  std::int64_t passes = 1;          ///< over all rows: the stream, and each refinement since
  double shift = 0.0;               ///< alpha of the last refinement: see Refinement
  std::vector<double> turns;  ///< tangent of the angle by which the last refinement turned each component out
                              ///< of those held before; none after one pass
  std::vector<double> probe_products;  ///< S omega for each random probe omega, features() numbers each, one
                                       ///< after the other; none without Options::probes. Of standardized
                                       ///< rows, as the eigenvalues are
  std::vector<Index> axes;  ///< how the reported components are shown: number i is the held one at place
                            ///< |axes[i]| - 1, with the sign of axes[i]. Empty: by variance, the largest
                            ///< entry of each positive
  Prequential prequential;  ///< of the rows, each scored before it was learned
  Change change;            ///< whether the rows have changed on their way
  std::vector<std::string>
      feature_names;       ///< one a feature, in UTF-8, or none: for readers, nothing uses them
  std::string parameters;  ///< what an interface above was asked for, in its own words (UTF-8), or nothing

  bool operator==(const Model&) const = default;

  Index features() const { return static_cast<Index>(mean.size()); }
  double trace() const { return scatter_trace; }

  /// The reported components, one per row (n_components x features), the largest entry of each positive
  /// unless `axes` says otherwise. Everything that has a number per component is in this order.
  OwnedRows<T> components() const;

  /// Divisor that turns scatter into variance: 2 weight_pairs / weight. That is W - (sum of w^2) / W for the
  /// weights w and their sum W, without its cancellation, and n - 1 for n rows of weight 1. Without centring
  /// it is `weight`. It is 0 when there are too few rows for a variance.
  double degrees_of_freedom() const;

  /// Variance along each reported component, descending unless `axes` says otherwise.
  std::vector<double> explained_variance() const;
  /// The same as a part of the total variance, all features and not only the components held.
  std::vector<double> explained_variance_ratio() const;
  /// Square roots of the reported eigenvalues: the singular values of the centred rows.
  std::vector<double> singular_values() const;
  /// Variance of each feature.
  std::vector<double> feature_variance() const;
  /// Standard deviation of each feature (without centring: root mean square) over its scale: by how much the
  /// scale was off, since it was taken from the first rows. 1 where the scale is right, and for features
  /// without variance; none without standardizing.
  std::vector<double> scale_ratio() const;
  /// Mean variance along the directions that are not reported; 0 when there are none.
  double noise_variance() const;

  /// Scores of each row on the reported components: rows x n_components.
  OwnedRows<T> transform(const Rows<T>& x) const;
  /// The same for sparse rows, here and below: nothing is made dense.
  OwnedRows<T> transform(const SparseRows<T>& x) const;
  /// Returns the rows with their NaN filled by the values that the model expects, given the others of the
  /// row. A feature that no row had keeps its NaN.
  OwnedRows<T> impute(const Rows<T>& x) const;
  /// Rows from their scores.
  OwnedRows<T> inverse_transform(const Rows<T>& scores) const;
  /// Log-likelihood of each row under probabilistic PCA (Tipping and Bishop 1999) with this model's noise
  /// variance, taken as at least epsilon times the largest variance, and at least -1e300: so it stays finite,
  /// even where the model has no variance at all.
  std::vector<double> log_likelihood(const Rows<T>& x) const;
  std::vector<double> log_likelihood(const SparseRows<T>& x) const;
  /// Hotelling's T^2 of each row: the squared scores over their variances, components without variance left
  /// out.
  std::vector<double> t2(const Rows<T>& x) const;
  std::vector<double> t2(const SparseRows<T>& x) const;
  /// Squared prediction error (Q statistic) of each row: its squared distance from the plane of the
  /// components that have variance.
  std::vector<double> spe(const Rows<T>& x) const;
  /// For sparse rows it is a difference of squares: right to rounding of the row's squared length.
  std::vector<double> spe(const SparseRows<T>& x) const;
};

/// Returns how many of the held components it takes to explain more than `fraction` of the total variance;
/// nothing if all that are held do not. Rows without variance take one, and all features are always enough.
template <typename T>
std::optional<Index> components_explaining(const Model<T>& model, double fraction);

/// Returns the model with another number of reported components, of those it holds. Its options then ask for
/// that number, and still for as many to be held. Throws std::invalid_argument if it does not hold them.
template <typename T>
Model<T> reporting(Model<T> model, Index n_components);

/// Throws std::invalid_argument that says what is wrong: sizes that disagree, numbers that are not finite or
/// out of range, eigenvalues out of order, components that are not orthonormal. Costs O(features x held): the
/// angles between components are checked by a few random combinations of them.
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
