/// What it costs to read the eigenpairs of a scatter matrix.
#pragma once

namespace roipca {

/// Number of rows per feature that take as long to learn as to find the leading eigenpairs, if these are few,
/// or all of them. Measured from 700 and from 200 features on: 3.0 to 3.4, and 9 to 14.
inline constexpr int kRowsPerLeadingEigenpairs = 3;
inline constexpr int kRowsPerAllEigenpairs = 10;

}  // namespace roipca
