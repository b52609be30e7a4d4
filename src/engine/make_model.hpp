/// From what a stream knows to a model, and back.
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

/// The eigenpairs of a model, in a unit. Columns without an eigenvalue only filled up the reported ones.
template <typename T>
Spectrum<T> spectrum_of(const Model<T>& model, double unit) {
  const Index rank = (as_eigen(model.eigenvalues).array() > 0.0).count();
  Spectrum<T> spectrum;
  spectrum.basis = as_columns(model.basis).leftCols(rank);
  spectrum.values = as_eigen(model.eigenvalues).head(rank) * unit * unit;
  spectrum.trace = model.scatter_trace * unit * unit;
  return spectrum;
}

/// The model of `rows` rows with these moments (Moments or SparseMoments) and this spectrum, in their unit.
template <typename T, typename AnyMoments>
Model<T> make_model(const Options& options, std::int64_t rows, const AnyMoments& moments,
                    Spectrum<T> spectrum, const ScoreMoments& scores) {
  Model<T> model;
  model.options = options;
  model.resolved.method = resolve(options, moments.features());
  model.n_components = capacity(options, moments.features()).reported;
  model.rows = rows;
  moments.write(model);
  make_reportable(spectrum, rounding_of(options, rows, moments.mean_squares(), model.degrees_of_freedom()));
  const Index rank = spectrum.basis.cols();
  const Index columns = std::max(rank, model.n_components);
  model.basis.resize(columns, moments.features());
  auto basis = as_columns(model.basis);
  basis.leftCols(rank) = spectrum.basis;
  complete<T>(basis, rank);
  model.scatter_trace = to_raw(spectrum.trace, moments.unit());
  model.eigenvalues.resize(static_cast<std::size_t>(columns));
  auto eigenvalues = as_eigen(model.eigenvalues);
  for (Index i = 0; i < rank; ++i) eigenvalues[i] = to_raw(spectrum.values[i], moments.unit());
  model.prequential = scores.value(columns);
  return model;
}

}  // namespace roipca
