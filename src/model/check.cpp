#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"

namespace roipca {
namespace {

// Returns random signs, the same at every call.
template <typename T>
Vector<T> random_signs(Index size, std::uint64_t seed) {
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
  Vector<T> signs(size);
  for (T& sign : signs) sign = (random() >> 15U) % 2 == 0 ? T{-1} : T{1};
  return signs;
}

// Returns whether Q^T Q = I, in O(features x held): the lengths one by one, and the angles by Q^T Q g = g for
// random signs g. An entry e of Q^T Q - I makes the two differ by at least e for at least half of all g.
// Rounding of the entries adds up to sqrt(held) times that of one.
template <typename T>
bool is_orthonormal(const OwnedRows<T>& components) {
  constexpr int kProbes = 4;
  const auto q = as_columns(components);
  const T slack = std::sqrt(std::numeric_limits<T>::epsilon());
  const Vector<T> lengths = q.colwise().squaredNorm();
  if (!lengths.allFinite() || (lengths.array() - T{1}).abs().maxCoeff() > slack) return false;
  const T summed = slack * std::sqrt(static_cast<T>(q.cols()));
  for (int probe = 1; probe <= kProbes; ++probe) {
    const Vector<T> signs = random_signs<T>(q.cols(), static_cast<std::uint64_t>(probe));
    Vector<T> combined = Vector<T>::Zero(q.rows());
    for (Index i = 0; i < q.cols(); ++i) combined += signs[i] * q.col(i);
    for (Index i = 0; i < q.cols(); ++i) {
      if (std::abs(q.col(i).dot(combined) - signs[i]) > summed) return false;
    }
  }
  return true;
}

// Returns whether there are no axes, or each of the numbers 1 to `count` occurs once, with any sign.
bool is_order_of(const std::vector<Index>& axes, Index count) {
  std::vector<bool> is_there(static_cast<std::size_t>(count));
  for (const Index axis : axes) {
    if (axis == 0 || axis > count || axis < -count) return false;
    is_there[static_cast<std::size_t>(std::abs(axis)) - 1] = true;
  }
  return axes.empty() || (static_cast<Index>(axes.size()) == count &&
                          std::all_of(is_there.begin(), is_there.end(), [](bool there) { return there; }));
}

template <typename Require>
void check_prequential(const Prequential& scores, Index held, Require require) {
  require(scores.rows >= 0 && scores.coverage >= 0.0 && scores.coverage <= 1.0,
          "the number of rows scored, or their share of the weight, is out of range");
  const std::size_t size = scores.t2_mean.size();
  require(static_cast<Index>(size) <= held, "there are moments of scores for more components than are held");
  for (const auto* values : {&scores.t2_mean, &scores.t2_spread, &scores.t2_third, &scores.spe_mean,
                             &scores.spe_spread, &scores.spe_third}) {
    require(values->size() == size, "the moments of scores have different sizes");
    require(as_eigen(*values).allFinite(), "a moment of scores is not finite");
  }
  for (const auto* values : {&scores.t2_mean, &scores.t2_spread, &scores.spe_mean, &scores.spe_spread}) {
    require(size == 0 || as_eigen(*values).minCoeff() >= 0.0, "a moment of scores is negative");
  }
}

}  // namespace

template <typename T>
void check(const Model<T>& model) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a model: ") + what);
  };
  check(model.options);
  const Index d = model.features();
  const auto held = static_cast<Index>(model.eigenvalues.size());
  require(d > 0, "no features");
  const Method method = model.resolved.method;
  require(
      method != Method::kAuto && (model.options.method == Method::kAuto || model.options.method == method),
      "its method does not match its options");
  require(std::isfinite(model.resolved.learning_rate) && model.resolved.learning_rate >= 0.0,
          "the learning rate is negative or not finite");
  require(model.n_components == capacity(model.options, d).reported,
          "n_components does not match its options");
  const auto has_width = [d](const std::vector<double>& v) { return static_cast<Index>(v.size()) == d; };
  require(has_width(model.mean_tail) && has_width(model.scatter) && model.basis.cols() == d,
          "mean, mean_tail, scatter and basis have different widths");
  require(model.feature_weight.empty() ||
              (has_width(model.feature_weight) && as_eigen(model.feature_weight).allFinite() &&
               as_eigen(model.feature_weight).minCoeff() >= 0.0),
          "the weights of features must be one finite, nonnegative number per feature");
  require(model.empty_rows >= 0, "the number of empty rows is negative");
  require(model.scale.empty() != model.options.standardize,
          "scales must be present exactly if option standardize is set");
  require(model.scale.empty() || (has_width(model.scale) && as_eigen(model.scale).allFinite() &&
                                  as_eigen(model.scale).minCoeff() > 0.0),
          "the scales must be one finite, positive number per feature");
  require(model.basis.rows() == held, "eigenvalues and basis have different sizes");
  require(held >= model.n_components && held <= d,
          "it holds fewer components than it reports, or more than it has features");
  require(is_order_of(model.axes, model.n_components), "its axes are not the reported components");
  require(model.rows_before >= 0, "the number of rows before its first is negative");
  require(model.feature_names.empty() || static_cast<Index>(model.feature_names.size()) == d,
          "the number of feature names is not the number of features");
  require(model.rows > 0 && model.weight > 0.0 && std::isfinite(model.weight) && model.weight_pairs >= 0.0 &&
              std::isfinite(model.weight_pairs),
          "rows and weights must be positive and finite");
  require(as_eigen(model.mean).allFinite() && as_eigen(model.mean_tail).allFinite(),
          "the mean is not finite");
  require(as_eigen(model.scatter).allFinite() && as_eigen(model.scatter).minCoeff() >= 0.0,
          "the scatter is negative or not finite");
  require(as_eigen(model.eigenvalues).allFinite() && as_eigen(model.eigenvalues).minCoeff() >= 0.0,
          "an eigenvalue is negative or not finite");
  require(std::is_sorted(model.eigenvalues.begin(), model.eigenvalues.end(), std::greater<>()),
          "the eigenvalues are not descending");
  require(std::isfinite(model.scatter_trace) && model.scatter_trace >= 0.0,
          "the trace is negative or not finite");
  require(model.passes >= 1 && std::isfinite(model.shift) && model.shift >= 0.0,
          "the number of passes or the shift is out of range");
  require(
      model.turns.empty() || (static_cast<Index>(model.turns.size()) == held &&
                              as_eigen(model.turns).allFinite() && as_eigen(model.turns).minCoeff() >= 0.0),
      "the turns must be one finite, nonnegative number per component");
  const auto probes = static_cast<Index>(model.probe_products.size()) / d;
  require(static_cast<Index>(model.probe_products.size()) == probes * d && probes <= model.options.probes &&
              as_eigen(model.probe_products).allFinite(),
          "the number of products with probes does not match its options, or one is not finite");
  check_prequential(model.prequential, held, require);
  const Change& change = model.change;
  require(std::isfinite(change.score) && change.score >= 0.0 && change.row >= 0 && change.count >= 0 &&
              change.rows >= 0,
          "its record of changes is out of range");
  require(is_orthonormal(model.basis), "the components are not orthonormal");
}

template void check(const Model<float>&);
template void check(const Model<double>&);

}  // namespace roipca
