#include "roipca/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "intake/units.hpp"
#include "linalg/eigen_types.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/subspace.hpp"

namespace roipca {
namespace {

constexpr Index kFolds = 5;
constexpr int kEachWay = 6;  // candidates for c * (leading variance) on each side of 1, three per decade
constexpr int kCandidates = 2 * kEachWay + 1;

template <typename T>
RowMatrix<double> reported_basis(const Model<T>& model) {
  return as_eigen(model.basis).topRows(model.n_components).template cast<double>();
}

// Returns all rows but those of one fold, in their order. The rows of a fold are spread evenly over the
// stream.
template <typename T>
RowMatrix<T> without_fold(const Rows<T>& rows, Index fold) {
  RowMatrix<T> left(rows.rows(), rows.cols());
  Index count = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (i % kFolds != fold) left.row(count++) = as_eigen(rows).row(i);
  }
  left.conservativeResize(count, Eigen::NoChange);
  return left;
}

}  // namespace

template <typename T>
double tune_learning_rate(const Rows<T>& rows, const Options& options) {
  if (options.method != Method::kGha && options.method != Method::kOja) {
    throw std::invalid_argument("only gha and oja have a learning rate");
  }
  if (rows.rows() < kTuningMinimum) {
    throw std::invalid_argument("tuning the learning rate needs at least " + std::to_string(kTuningMinimum) +
                                " rows, not " + std::to_string(rows.rows()));
  }
  Options trial = options;
  trial.learning_rate = LearningRate::scale_free();
  trial.forgetting = 1.0;
  trial.probes = 0;
  auto truth = batch_pca<T>(rows, trial);
  // The stream divides all rows by the same scales. Those of a part of these rows would be others.
  RowMatrix<T> in_units = as_eigen(rows);
  if (options.standardize) {
    const Units units = units_of(truth);
    for (Index i = 0; i < rows.rows(); ++i)
      to_units<T>(units, rows.row(i).data(), i, 1.0, in_units.row(i).data());
    trial.standardize = false;
    truth = batch_pca<T>(in_units, trial);
  }
  const double variance = truth.explained_variance()[0];
  if (!(variance > 0.0)) return 0.0;
  const RowMatrix<double> truth_basis = reported_basis(truth);

  Vector<double> errors = Vector<double>::Zero(kCandidates);
  const auto candidate = [&](int i) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    return std::clamp(std::pow(10.0, (i - kEachWay) / 3.0) / variance, 1.0 / kLargest, kLargest);
  };
  for (Index fold = 0; fold < kFolds; ++fold) {
    const RowMatrix<T> stream = without_fold<T>(in_units, fold);
    const Index head = stream.rows() / kFolds;
    auto start = batch_pca<T>(stream.topRows(head), trial);
    for (int i = 0; i < kCandidates; ++i) {
      start.options.learning_rate = LearningRate::fixed(candidate(i));
      OnlinePca<T> pca(start);
      pca.partial_fit(stream.bottomRows(stream.rows() - head));
      errors[i] += subspace_error(truth_basis, reported_basis(pca.model()));
    }
  }
  Index best = 0;
  errors.minCoeff(&best);
  return candidate(static_cast<int>(best));
}

template double tune_learning_rate(const Rows<float>&, const Options&);
template double tune_learning_rate(const Rows<double>&, const Options&);

}  // namespace roipca
