/// Quantiles of the distributions of the limits.
#pragma once

namespace roipca {

/// Return the value that is exceeded with probability `tail`, in (0, 1), with a relative error of about
/// 1e-12. Degrees of freedom are positive and need not be whole numbers. (Written here because the library
/// depends only on Eigen, and Boost.Math would be a larger dependency for a hundred lines.)
double chi2_quantile(double tail, double freedom);
double f_quantile(double tail, double freedom_1, double freedom_2);
/// Does the same for the standard normal distribution.
double normal_quantile(double tail);

}  // namespace roipca
