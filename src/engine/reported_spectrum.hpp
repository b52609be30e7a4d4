/// The eigenpairs of a rule as a model reports them: in order, without rounding, never more than the trace.
#pragma once

#include <cstdint>

#include "model/spectrum.hpp"
#include "roipca/options.hpp"

namespace roipca {

/// The rounding of the rows behind a spectrum, in its unit.
struct Rounding {
  Vector<double> mean_squares;    // mean square of each feature about the origin
  double freedom = 0.0;           // degrees of freedom: scatter divided by variance
  double rows = 0.0;              // number of rows that count: fewer than added, if rows are forgotten
  double rotations = 0.0;         // number of rotations of the components since these rows
  bool components_rotate = true;  // false if the scatter itself is kept
};

/// Returns the rounding of rows that were added by the method of the options.
Rounding rounding_of(const Options& options, std::int64_t rows, Vector<double> mean_squares, double freedom);

/// Turns a spectrum into one that a model may report:
///
/// - An eigenvalue that is no more than rounding becomes 0, so that neither T^2 nor whitening divides by it.
///   With the epsilon of T, a component is known to 16 epsilon (the distance at which a row still counts as
///   in the span) and one epsilon more, in a random direction, for each rotation. So a row v has up to
///   epsilon (16^2 + rotations)^(1/2) |v| along it that is not real: together epsilon^2 (16^2 + rotations)
///   times the trace. The numbers of the rows themselves are rounded, which far from the origin amounts to
///   more: by a unit in the last place of a feature's size, squared, times 1/12. Twice that leaves room for
///   the sample. It is weighted over the features by the squares of the component's entries, and larger if
///   there are few rows for the number of features that are rounded as much.
/// - Eigenvalues descend. If a rule only estimates them, components change places.
/// - Their sum is at most the trace, to rounding. If the estimates exceed it, each is taken as a share of
///   their sum.
template <typename T>
void make_reportable(Eigen::Ref<Matrix<T>> basis, Vector<double>& values, double trace,
                     const Rounding& rounding);

template <typename T>
void make_reportable(Spectrum<T>& spectrum, const Rounding& rounding) {
  make_reportable<T>(spectrum.basis, spectrum.values, spectrum.trace, rounding);
}

extern template void make_reportable<float>(Eigen::Ref<Matrix<float>>, Vector<double>&, double,
                                            const Rounding&);
extern template void make_reportable<double>(Eigen::Ref<Matrix<double>>, Vector<double>&, double,
                                             const Rounding&);

}  // namespace roipca
