/// What of a rule's eigenpairs is reported: in order, without rounding, never more than there is.
#pragma once

#include <cstdint>

#include "model/spectrum.hpp"
#include "roipca/options.hpp"

namespace roipca {

/// What is known about the rounding of the rows behind a spectrum, in its unit.
struct Rounding {
  Vector<double> mean_squares;    // of each feature, about the origin
  double freedom = 0.0;           // times a variance gives a scatter
  double rows = 0.0;              // that count: fewer than there were where rows are forgotten
  double rotations = 0.0;         // of the components since the rows that count
  bool components_rotate = true;  // not where the scatter itself is kept
};

/// That of rows which were added by the method of the options.
Rounding rounding_of(const Options& options, std::int64_t rows, Vector<double> mean_squares, double freedom);

/// Makes a spectrum what a model may say:
///
/// - An eigenvalue that is no more than rounding becomes 0, so that neither T^2 nor whitening divides by it.
///   With epsilon that of T, a component is known to 16 epsilon (what a row may be off it and still count as
///   in the span) and one epsilon more, in a random direction, for each rotation, so that a row v has up to
///   epsilon (16^2 + rotations)^(1/2) |v| along it that is not there: together epsilon^2 (16^2 + rotations)
///   times the trace. The numbers of the rows themselves are rounded, which far from the origin comes to
///   more: by a unit in the last place of a feature's size, squared, times 1/12. Twice that leaves room for
///   the sample. It is weighted over the features by the squares of the component's entries, and larger
///   where there are few rows for the number of features that are rounded as much.
/// - Eigenvalues descend. Where a rule only estimates them, components change places.
/// - Their sum is at most the trace, to rounding. Where estimates come to more, each is taken as a share of
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
