/// Converts the state of a stream to a model, and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "basis/orthonormal.hpp"
#include "engine/reported_spectrum.hpp"
#include "intake/moments.hpp"
#include "model/spectrum.hpp"
#include "monitor/score_moments.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Returns the eigenpairs of a model, in a unit. Columns without an eigenvalue, which only completed the
/// reported ones, are left out.
template <typename T>
Spectrum<T> spectrum_of(const Model<T>& model, double unit) {
  const Index rank = (as_eigen(model.eigenvalues).array() > 0.0).count();
  Spectrum<T> spectrum;
  spectrum.basis = as_columns(model.basis).leftCols(rank);
  spectrum.values = as_eigen(model.eigenvalues).head(rank) * unit * unit;
  spectrum.trace = model.scatter_trace * unit * unit;
  return spectrum;
}

/// Returns the model of `rows` rows with these moments (Moments or SparseMoments) and these eigenpairs, one
/// per row of `basis`, in their unit. Copies nothing that has a number per feature and component.
template <typename T, typename AnyMoments>
Model<T> make_model(const Options& options, std::int64_t rows, const AnyMoments& moments, OwnedRows<T> basis,
                    Vector<double> values, double trace, const ScoreMoments& scores) {
  Model<T> model;
  model.options = options;
  model.resolved.method = resolve(options, moments.features());
  model.n_components = capacity(options, moments.features()).reported;
  model.rows = rows;
  moments.write(model);
  make_reportable<T>(as_columns(basis), values, trace,
                     rounding_of(options, rows, moments.mean_squares(), model.degrees_of_freedom()));
  const Index rank = basis.rows();
  const Index columns = std::max(rank, model.n_components);
  basis.resize(columns, moments.features());
  complete<T>(as_columns(basis), rank);
  model.basis = std::move(basis);
  model.scatter_trace = to_raw(trace, moments.unit());
  model.eigenvalues.resize(static_cast<std::size_t>(columns));
  auto eigenvalues = as_eigen(model.eigenvalues);
  for (Index i = 0; i < rank; ++i) eigenvalues[i] = to_raw(values[i], moments.unit());
  model.prequential = scores.value(columns);
  return model;
}

/// Does the same for a spectrum.
template <typename T, typename AnyMoments>
Model<T> make_model(const Options& options, std::int64_t rows, const AnyMoments& moments,
                    const Spectrum<T>& spectrum, const ScoreMoments& scores) {
  OwnedRows<T> basis(spectrum.basis.cols(), moments.features());
  as_columns(basis) = spectrum.basis;
  return make_model<T>(options, rows, moments, std::move(basis), spectrum.values, spectrum.trace, scores);
}

}  // namespace roipca
