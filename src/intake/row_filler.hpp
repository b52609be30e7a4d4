/// Missing values, filled by their expectation.
#pragma once

#include <vector>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// What missing values are filled by: probabilistic PCA with covariance Q diag(variance) Q^T + noise (I - Q
/// Q^T), about a mean that is known elsewhere. Q are the leading columns of a basis whose other columns vary
/// no more than noise does: these predict nothing, but values that were filled lack variance along them, too.
struct FillModel {
  RowMatrix<double> basis;  // features x components; Q are the first variance.size()
  Vector<double> variance;  // along the components of Q, above `noise`
  double noise = 0.0;
  Vector<double> feature_noise;  // at most `noise`: that of a missing value beside the components

  Index features() const { return basis.rows(); }
  Index components() const { return basis.cols(); }
  Index predictors() const { return variance.size(); }

  /// Fills with the mean, and leaves nothing open.
  static FillModel of_nothing(Index features);
  /// From eigenpairs, in any unit: variances along orthonormal columns, and the variance of each feature.
  /// Noise in `rows` rows of d features has eigenvalues of up to (1 + (d / rows)^(1/2))^2 times its variance
  /// (Marchenko and Pastur): only components above that predict. Infinitely many rows: all above the noise.
  template <typename T>
  static FillModel of(const Eigen::Ref<const Matrix<T>>& basis,
                      const Eigen::Ref<const Vector<double>>& variance, double total_variance,
                      const Eigen::Ref<const Vector<double>>& feature_variance, double rows);

  /// `most` bounds the number of components.
  void visit_state(state::Archive& archive, Index features, Index most);
};

/// The model that rows are filled by after a model was learned, in its units.
template <typename T>
FillModel fill_model(const Model<T>& model);
/// The model's own distribution: all reported components, and the noise beside them.
template <typename T>
FillModel reported_distribution(const Model<T>& model);
/// Number of components that a model to fill by has: those that roipca would hold.
Index fill_components(Options options, Index features);
/// The number of rows that count as much as those with their weights (Kish).
double counting_rows(double weight, double weight_pairs);

/// Fills rows of deviations from the mean. With o the values that are there and m the missing ones, the
/// coordinates of a row are expected to be
///
///     z = M^-1 Q_o^T x_o,    M = Q_o^T Q_o + noise (variance - noise)^-1,
///
/// and the missing values Q_m z, with the covariance noise (Q_m M^-1 Q_m^T + I). Takes O(m k^2 + d k + k^3)
/// for a row of d values, m of them missing, and k components, O(d k^2 + k^3) if a component is almost all
/// missing; O(d k) if the row before had the same gaps.
/// Allocates only where it meets more gaps or components than before.
class RowFiller {
 public:
  /// Fills the NaN in `row`, of which there are some but not all. The model is the same as in the calls
  /// before, or `forget` was called since.
  template <typename T>
  void fill(const FillModel& model, T* row);
  /// Prepares for another model.
  void forget() { is_prepared_ = false; }

  /// Where the row that was filled last had gaps.
  const std::vector<Index>& gaps() const { return gaps_; }
  /// Of its conditional covariance C: the variances of the values there.
  const Vector<double>& gap_variance(const FillModel& model);
  /// B^T C B, for the model's basis B.
  const Matrix<double>& inner_covariance(const FillModel& model);
  /// The rows of C Q that belong to the gaps, for any matrix Q of as many rows as the model has features.
  Matrix<double> covariance_times(const FillModel& model, const RowMatrix<double>& q) const;
  /// Log-density of the values that were there.
  double log_density(const FillModel& model) const;

 private:
  void prepare(const FillModel& model);
  Matrix<double> with_products_of_values(const FillModel& model) const;

  std::vector<Index> gaps_;
  std::vector<Index> found_;
  bool is_prepared_ = false;
  bool has_variance_ = false;
  bool has_inner_ = false;
  RowMatrix<double> of_gaps_;    // B_m, with room for more
  Vector<double> prior_;         // noise / (variance - noise)
  Matrix<double> gap_products_;  // B_m^T B_m
  Matrix<double> inverse_;       // M^-1
  Vector<double> gap_variance_;
  Matrix<double> inner_covariance_;
  Vector<double> dots_;  // Q_o^T x_o
  Vector<double> z_;
  double log_determinant_ = 0.0;  // of M
  double squares_ = 0.0;          // |x_o|^2
};

}  // namespace roipca
