/// What the scales of a standardized model add to the residuals of its components.
#pragma once

#include <optional>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// A standardized model holds components of S, the scatter of rows divided by its scales, which come from the
/// first rows unless the model was refined. Batch PCA divides by the standard deviations of all rows, and its
/// scatter is D S D with D = scale / deviation, which is known. With a residual r = S q - lambda q, that of a
/// component q under D S D is
///
///     D S D q - lambda' q = D r + (D - I) lambda q + D S (D - I) q + (lambda - lambda') q.
struct ScaleResiduals {
  Vector<double> outside;  ///< estimates of |D S D q - lambda' q|^2 outside of the reported components, from
                           ///< S = mu I + Q (Lambda - mu) Q^T, for each component
  Vector<double> inside;   ///< the same along the other reported components
  Vector<double> bounds;   ///< bounds on |(D - I) lambda q + D S (D - I) q|, from |S| <= `norm`
  double least = 1.0;      ///< the least entry of D
  double most = 1.0;       ///< the largest
};

/// Returns what the scales add for the first `count` components, or nothing if the model's scales are those
/// of all rows. `unheld` is mu, and `norm` a bound on the largest eigenvalue of S.
template <typename T>
std::optional<ScaleResiduals> scale_residuals(const Model<T>& model, Index count, double unheld, double norm);

}  // namespace roipca
