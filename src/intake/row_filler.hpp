/// Fills missing values with their expectations.
#pragma once

#include <vector>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// The model for filling missing values: probabilistic PCA with covariance Q diag(variance) Q^T + noise (I -
/// Q Q^T), about a mean that is kept elsewhere. Q are the leading columns of a basis whose other columns vary
/// no more than noise does: these predict nothing, but filled values lack variance along them, too.
struct FillModel {
  RowMatrix<double> basis;  // features x components; Q are the first variance.size()
  Vector<double> variance;  // along the components of Q, above `noise`
  double noise = 0.0;
  Vector<double> feature_noise;  // noise of a missing value beside the components, at most `noise`

  Index features() const { return basis.rows(); }
  Index components() const { return basis.cols(); }
  Index predictors() const { return variance.size(); }

  /// Fills with the mean, and adds no covariance.
  static FillModel of_nothing(Index features);
  /// Makes the model from eigenpairs, in any unit: variances along orthonormal columns, and the variance of
  /// each feature. Noise in `rows` rows of d features has eigenvalues of up to (1 + (d / rows)^(1/2))^2 times
  /// its variance (Marchenko and Pastur): only components above that predict. With infinitely many rows, all
  /// components above the noise do.
  template <typename T>
  static FillModel of(const Eigen::Ref<const Matrix<T>>& basis,
                      const Eigen::Ref<const Vector<double>>& variance, double total_variance,
                      const Eigen::Ref<const Vector<double>>& feature_variance, double rows);

  /// `most` bounds the number of components.
  void visit_state(state::Archive& archive, Index features, Index most);
};

/// Returns the model for filling rows after a model was learned, in its units.
template <typename T>
FillModel fill_model(const Model<T>& model);
/// Returns the model's own distribution: all reported components, and the noise beside them.
template <typename T>
FillModel reported_distribution(const Model<T>& model);
/// Returns the number of components of a model for filling: those that roipca would hold.
Index fill_components(Options options, Index features);
/// Returns the number of rows of equal weight that count as much as these rows with their weights (Kish).
double counting_rows(double weight, double weight_pairs);

/// Fills rows of deviations from the mean. With the present values o and the missing values m, the expected
/// coordinates of a row are
///
///     z = M^-1 Q_o^T x_o,    M = Q_o^T Q_o + noise (variance - noise)^-1,
///
/// and the missing values are Q_m z, with the covariance noise (Q_m M^-1 Q_m^T + I). Costs O(m k^2 + d k +
/// k^3) for a row of d values, m of them missing, and k components; O(d k^2 + k^3) if a component is almost
/// all missing; O(d k) if the previous row had the same gaps. Allocates only if there are more gaps or
/// components than before.
class RowFiller {
 public:
  /// Fills the NaN in `row`: some of its values, not all. The model must be that of the previous calls,
  /// unless `forget` was called since.
  template <typename T>
  void fill(const FillModel& model, T* row);
  /// Prepares for another model.
  void forget() { is_prepared_ = false; }

  /// Returns the places of the gaps of the row that was filled last.
  const std::vector<Index>& gaps() const { return gaps_; }
  /// Returns the variances of these values: the diagonal of their conditional covariance C.
  const Vector<double>& gap_variance(const FillModel& model);
  /// Returns B^T C B for the model's basis B.
  const Matrix<double>& inner_covariance(const FillModel& model);
  /// Returns the rows of C Q that belong to the gaps, for any matrix Q with one row per feature of the model.
  Matrix<double> covariance_times(const FillModel& model, const RowMatrix<double>& q) const;
  /// Returns the log-density of the present values.
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
