#pragma once

#include <span>

#include "secular/equation.hpp"
#include "secular/root.hpp"

namespace roipca::secular {

/// Loewner's formula: z_hat_j^2 = prod_i (t_i - d_j) / prod_{i != j} (d_i - d_j). The computed roots are the
/// exact eigenvalues of diag(d) + z_hat z_hat^T, whose eigenvectors z_hat_j / (d_j - t_i) are therefore
/// orthogonal to rounding however accurate the roots are (Gu and Eisenstat). Fills padded(order) entries of
/// `magnitudes` with |z_hat|; the padding is zero. `gaps` is scratch of that length.
void rebuild_z(const Equation& equation, std::span<const Root> roots, std::span<double> magnitudes,
               std::span<double> gaps);

/// column_j = z_hat_j / (d_j - t), padded(order) entries. Returns the inverse of the column's norm.
double eigenvector(const Equation& equation, const Root& root, std::span<const double> z_hat,
                   std::span<double> column);

}  // namespace roipca::secular
