/// Limits of T^2 and SPE, and the contributions of the features to them.
#pragma once

#include <string_view>

#include "roipca/model.hpp"

namespace roipca {

/// How a limit is computed. All rules but kPrequential are textbook formulas for independent Gaussian rows,
/// which see only the rows that the components were fitted to: if there are few rows for the number of
/// features, their limits of SPE are too low.
enum class LimitRule {
  /// kF or kBox, or kPrequential if that is larger and 50 rows or more were scored. For SPE of ccipca, gha
  /// and fd, whose eigenvalues are estimates, kPrequential alone if 50 rows or more were scored.
  kAuto,
  kPrequential,  ///< a + g chi2(h) with the first three moments of the scores in Model::prequential
  kF,            ///< of T^2: m (n - 1)(n + 1) / (n (n - m)) F(m, n - m)
  kChi2,         ///< of T^2: chi2(m), for a mean and variances that are known
  kBox,          ///< of SPE: g chi2(h) with the moments that the eigenvalues not reported give (Box 1954)
  kJacksonMudholkar,  ///< of SPE: Jackson and Mudholkar (1979)
};

/// Return the name of a rule ("auto", "prequential", "f", "chi2", "box" or "jackson-mudholkar") and the rule
/// of a name. limit_rule_from_name throws std::invalid_argument for other names.
std::string_view name(LimitRule rule);
LimitRule limit_rule_from_name(std::string_view name);

/// Return the value that T^2, or SPE, of a new row exceeds with probability 1 - confidence; infinity if there
/// are too few rows. By whatever rule, the limit of SPE is at least what rounding may leave of rows that the
/// components explain: (64 epsilon)^2 times the sum of the variances and the squared means of all
/// features (means over scales, if there are any), with the epsilon of T. Throw std::invalid_argument unless
/// confidence is in (0, 1) and the rule is one for the statistic, and std::logic_error for kPrequential if no
/// row was scored.
template <typename T>
double t2_limit(const Model<T>& model, double confidence, LimitRule rule = LimitRule::kAuto);
template <typename T>
double spe_limit(const Model<T>& model, double confidence, LimitRule rule = LimitRule::kAuto);

/// Return the contribution of each feature to T^2, or to SPE, of each row: rows x features, where each row
/// adds up to its statistic. For T^2 of a centred row x with scores t, the contribution is x_j sum_i (t_i /
/// variance_i) q_ij, which can be negative. For SPE, it is the squared residual of the feature.
template <typename T>
OwnedRows<T> t2_contributions(const Model<T>& model, const Rows<T>& x);
template <typename T>
OwnedRows<T> spe_contributions(const Model<T>& model, const Rows<T>& x);

extern template double t2_limit(const Model<float>&, double, LimitRule);
extern template double t2_limit(const Model<double>&, double, LimitRule);
extern template double spe_limit(const Model<float>&, double, LimitRule);
extern template double spe_limit(const Model<double>&, double, LimitRule);
extern template OwnedRows<float> t2_contributions(const Model<float>&, const Rows<float>&);
extern template OwnedRows<double> t2_contributions(const Model<double>&, const Rows<double>&);
extern template OwnedRows<float> spe_contributions(const Model<float>&, const Rows<float>&);
extern template OwnedRows<double> spe_contributions(const Model<double>&, const Rows<double>&);

}  // namespace roipca
