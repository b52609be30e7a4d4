#include "roipca/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "intake/given_sparse_rows.hpp"
#include "intake/row_filler.hpp"
#include "intake/units.hpp"
#include "linalg/eigen_types.hpp"
#include "model/axes.hpp"
#include "model/projector.hpp"
#include "model/sparse_scores.hpp"

namespace roipca {
namespace {

// The log-likelihood of a row so far out, relative to the variance, that its squared distance overflows: the
// lowest of all, and such that a mean over many rows stays finite.
constexpr double kLeastLogLikelihood = -1e300;

template <typename AnyRows>
void require_width(const AnyRows& rows, Index width, const char* what) {
  if (rows.cols() == width) return;
  throw std::invalid_argument("the rows have " + std::to_string(rows.cols()) + " " + what +
                              ", but the model has " + std::to_string(width) + " " + what);
}

// Returns the reported components, one per column.
template <typename T>
auto reported(const Model<T>& model) {
  return as_columns(model.basis).leftCols(model.n_components);
}

template <typename T>
auto reported_values(const Model<T>& model) {
  return as_eigen(model.eigenvalues).head(model.n_components);
}

// Returns the variance along each reported component, in the order of the basis.
template <typename T>
Vector<double> basis_variance(const Model<T>& model) {
  const double divisor = model.degrees_of_freedom();
  if (divisor == 0.0) return Vector<double>::Zero(model.n_components);
  return reported_values(model) / divisor;
}

// Computes the results of sparse rows from dense ones, a few rows at a time, if the features have scales.
template <typename T, typename Use>
void for_each_expanded(const Model<T>& model, const SparseRows<T>& x, Use use) {
  check_columns(x, model.features());
  constexpr Index kNumbers = Index{1} << 17;
  const Index at_once = std::max<Index>(1, kNumbers / model.features());
  for (Index first = 0; first < x.rows(); first += at_once) {
    const Index count = std::min(at_once, x.rows() - first);
    RowMatrix<T> rows = RowMatrix<T>::Zero(count, model.features());
    for (Index i = 0; i < count; ++i) {
      for (Index e = x.start(first + i); e < x.start(first + i + 1); ++e) rows(i, x.column(e)) += x.value(e);
    }
    use(first, count, Rows<T>(rows));
  }
}

template <typename T, typename Function>
std::vector<double> of_expanded(const Model<T>& model, const SparseRows<T>& x, Function function) {
  std::vector<double> result(static_cast<std::size_t>(x.rows()));
  for_each_expanded(model, x, [&](Index first, Index count, const Rows<T>& rows) {
    as_eigen(result).segment(first, count) = as_eigen(function(rows));
  });
  return result;
}

// Returns factors for the scores whose squares then are the squared scores divided by the variances; 0 for a
// variance of 0.
Vector<double> scale_of(const Vector<double>& variance) {
  return variance.unaryExpr([](double v) { return v > 0.0 ? 1.0 / std::sqrt(v) : 0.0; });
}

// Returns, for each row, the sum over the components of score^2 / variance, without those of variance 0.
template <typename T>
std::vector<double> scaled_scores(const Model<T>& model, const Vector<double>& variance,
                                  const SparseRows<T>& x) {
  const Vector<double> scale = scale_of(variance);
  return to_vector(
      (sparse_scores(model, model.n_components, x) * scale.asDiagonal()).rowwise().squaredNorm());
}
template <typename T>
std::vector<double> scaled_scores(const Model<T>& model, const Vector<double>& variance, const Rows<T>& x) {
  require_width(x, model.features(), "features");
  const Vector<double> scale = scale_of(variance);
  std::vector<double> result(static_cast<std::size_t>(x.rows()));
  Projector<T> projector(model, model.n_components, x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    as_eigen(result).segment(first, count) =
        (projector.scores(count) * scale.asDiagonal()).rowwise().squaredNorm();
  });
  return result;
}

// Returns, for each row, the squared distance from the plane of the first `columns` components. For a row
// with missing values, it is estimated from the present ones.
template <typename T>
std::vector<double> squared_distances(const Model<T>& model, Index columns, const SparseRows<T>& x) {
  const RowMatrix<double> scores = sparse_scores(model, columns, x);
  std::vector<double> result = sparse_squared_lengths(model, x);
  as_eigen(result) = (as_eigen(result) - scores.rowwise().squaredNorm()).cwiseMax(0.0);
  return result;
}
template <typename T>
std::vector<double> squared_distances(const Model<T>& model, Index columns, const Rows<T>& x) {
  require_width(x, model.features(), "features");
  std::vector<double> result(static_cast<std::size_t>(x.rows()));
  Projector<T> projector(model, columns, x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    projector.subtract_components(count);
    as_eigen(result).segment(first, count) =
        projector.centred(count).template cast<double>().colwise().squaredNorm().transpose();
    if (model.options.missing == Missing::kError) return;
    for (Index i = 0; i < count; ++i) {
      if (!as_eigen(x.row(first + i)).hasNaN()) continue;
      result[static_cast<std::size_t>(first + i)] =
          squares_of_observed<T>(projector.centred(count).col(i), x.row(first + i));
    }
  });
  return result;
}

template <typename T>
Vector<double> deviations_of(const Units& units, const Row<T>& row) {
  return (as_eigen(row).template cast<double>() - units.origin).cwiseQuotient(units.scale);
}

// Calls use(i, row) for rows with missing values.
template <typename T, typename Use>
void for_each_with_gaps(const Model<T>& model, const Rows<T>& x, Use use) {
  if (model.options.missing == Missing::kError) return;
  for (Index i = 0; i < x.rows(); ++i) {
    if (as_eigen(x.row(i)).hasNaN()) use(i, x.row(i));
  }
}

// Covariance Q diag(max(variance, noise)) Q^T + noise (I - Q Q^T).
template <typename T, typename AnyRows>
std::vector<double> log_likelihoods(const Model<T>& model, const AnyRows& x) {
  const Index outside = model.features() - model.n_components;
  const Vector<double> explained = basis_variance(model);
  const double floor = std::max(std::numeric_limits<double>::epsilon() * explained.maxCoeff(),
                                std::numeric_limits<double>::min());
  const double noise = std::max(model.noise_variance(), floor);
  const Vector<double> variance = explained.cwiseMax(noise);
  const double log_determinant =
      variance.array().log().sum() + static_cast<double>(outside) * std::log(noise);
  double constant =
      static_cast<double>(model.features()) * std::log(2.0 * std::numbers::pi) + log_determinant;
  // The density refers to the units of the given rows.
  for (const double scale : model.scale) constant += 2.0 * std::log(scale);
  std::vector<double> result = scaled_scores(model, variance, x);
  if (outside > 0) as_eigen(result) += as_eigen(squared_distances(model, model.n_components, x)) / noise;
  for (double& number : result) number = -0.5 * (number + constant);
  if constexpr (std::is_same_v<AnyRows, Rows<T>>) {
    const Units units = units_of(model);
    std::optional<FillModel> by;
    RowFiller filler;
    for_each_with_gaps(model, x, [&](Index i, const Row<T>& row) {
      if (!by) by = reported_distribution(model);
      Vector<double> deviations = deviations_of(units, row);
      filler.fill(*by, deviations.data());
      double density = filler.log_density(*by);
      for (Index j = 0; j < row.size(); ++j) density -= std::isnan(row[j]) ? 0.0 : std::log(units.scale[j]);
      result[static_cast<std::size_t>(i)] = density;
    });
  }
  for (double& number : result) {
    if (number < kLeastLogLikelihood) number = kLeastLogLikelihood;  // NaN stays
  }
  return result;
}

}  // namespace

template <typename T>
OwnedRows<T> Model<T>::components() const {
  OwnedRows<T> result;
  result.resize_for_overwrite(n_components, features());
  Axes(*this).show(reported(*this), as_columns(result));
  return result;
}

template <typename T>
bool Model<T>::is_stored_as_shown() const {
  return Axes(*this).are_those_of_the_basis();
}

template <typename T>
double Model<T>::degrees_of_freedom() const {
  if (!options.center) return weight;
  return weight > 0.0 ? 2.0 * weight_pairs / weight : 0.0;
}

template <typename T>
std::vector<double> Model<T>::explained_variance() const {
  const double divisor = degrees_of_freedom();
  if (divisor == 0.0) return std::vector<double>(static_cast<std::size_t>(n_components));
  return to_vector(in_shown_order(*this, eigenvalues) / divisor);
}

template <typename T>
std::vector<double> Model<T>::explained_variance_ratio() const {
  // If the components have all the variance, rounding decides which is larger.
  const double roundings = static_cast<double>(n_components + 4) * std::numeric_limits<double>::epsilon();
  const double total = std::max(trace(), (1.0 + roundings) * reported_values(*this).sum());
  if (!(total > 0.0)) return std::vector<double>(static_cast<std::size_t>(n_components));
  return to_vector(in_shown_order(*this, eigenvalues) / total);
}

template <typename T>
std::vector<double> Model<T>::singular_values() const {
  return to_vector(in_shown_order(*this, eigenvalues).cwiseSqrt());
}

template <typename T>
std::vector<double> Model<T>::feature_variance() const {
  const double divisor = degrees_of_freedom();
  if (divisor == 0.0) return std::vector<double>(mean.size());
  return to_vector(as_eigen(scatter) / divisor);
}

template <typename T>
std::vector<double> Model<T>::scale_ratio() const {
  std::vector<double> ratio = scale.empty() ? scale : feature_variance();
  for (std::size_t j = 0; j < ratio.size(); ++j) {
    ratio[j] = ratio[j] > 0.0 ? std::sqrt(ratio[j]) / scale[j] : 1.0;
  }
  return ratio;
}

template <typename T>
std::optional<WrongScale> Model<T>::worst_scale() const {
  constexpr double kFarOff = 3.0;
  WrongScale worst = {0, 1.0, 0};
  const auto factor = [](double ratio) { return std::max(ratio, 1.0 / ratio); };
  const std::vector<double> ratios = scale_ratio();
  for (std::size_t j = 0; j < ratios.size(); ++j) {
    if (!(factor(ratios[j]) >= kFarOff)) continue;
    ++worst.count;
    if (factor(ratios[j]) > factor(worst.ratio)) {
      worst.feature = static_cast<Index>(j);
      worst.ratio = ratios[j];
    }
  }
  return worst.count > 0 ? std::optional(worst) : std::nullopt;
}

template <typename T>
double Model<T>::noise_variance() const {
  const Index outside = features() - n_components;
  const double divisor = degrees_of_freedom();
  if (outside == 0 || divisor == 0.0) return 0.0;
  const double left = trace() - reported_values(*this).sum();
  return std::max(0.0, left) / static_cast<double>(outside) / divisor;
}

template <typename T>
OwnedRows<T> Model<T>::transform(const Rows<T>& x) const {
  require_width(x, features(), "features");
  const Axes shown(*this);
  OwnedRows<T> scores(x.rows(), n_components);
  Projector<T> projector(*this, n_components, x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    shown.show(projector.scores(count), as_eigen(scores).middleRows(first, count));
  });
  return scores;
}

template <typename T>
OwnedRows<T> Model<T>::impute(const Rows<T>& x) const {
  require_width(x, features(), "features");
  OwnedRows<T> filled(x.rows(), features());
  as_eigen(filled) = as_eigen(x);
  const FillModel by = fill_model(*this);
  const Units units = units_of(*this);
  RowFiller filler;
  for (Index i = 0; i < x.rows(); ++i) {
    auto row = as_eigen(filled).row(i);
    if (!row.hasNaN()) continue;
    Vector<double> deviations = deviations_of(units, x.row(i));
    filler.fill(by, deviations.data());
    for (const Index j : filler.gaps()) {
      const auto place = static_cast<std::size_t>(j);
      if (!feature_weight.empty() && feature_weight[place] == 0.0) continue;
      row[j] = static_cast<T>(mean[place] + units.scale[j] * deviations[j]);
    }
  }
  return filled;
}

template <typename T>
OwnedRows<T> Model<T>::inverse_transform(const Rows<T>& scores) const {
  require_width(scores, n_components, "components");
  OwnedRows<T> x(scores.rows(), features());
  Projector<T> projector(*this, n_components, scores.rows());
  projector.for_each_chunk_of_scores(Axes(*this).hide(as_eigen(scores)), [&](Index first, Index count) {
    projector.unscale(count);
    as_eigen(x).middleRows(first, count) =
        (projector.centred(count).template cast<double>().colwise() + as_eigen(mean))
            .transpose()
            .template cast<T>();
  });
  return x;
}

template <typename T>
std::vector<double> Model<T>::t2(const Rows<T>& x) const {
  return scaled_scores<T>(*this, basis_variance(*this), x);
}

template <typename T>
std::vector<double> Model<T>::spe(const Rows<T>& x) const {
  const Index with_variance = (reported_values(*this).array() > 0.0).count();
  return squared_distances(*this, with_variance, x);
}

template <typename T>
OwnedRows<T> Model<T>::transform(const SparseRows<T>& x) const {
  OwnedRows<T> scores(x.rows(), n_components);
  if (!scale.empty()) {
    for_each_expanded(*this, x, [&](Index first, Index count, const Rows<T>& dense) {
      as_eigen(scores).middleRows(first, count) = as_eigen(transform(dense));
    });
    return scores;
  }
  Axes(*this).show(sparse_scores(*this, n_components, x), as_eigen(scores));
  return scores;
}

template <typename T>
std::vector<double> Model<T>::t2(const SparseRows<T>& x) const {
  if (!scale.empty()) return of_expanded(*this, x, [&](const Rows<T>& dense) { return t2(dense); });
  return scaled_scores<T>(*this, basis_variance(*this), x);
}

template <typename T>
std::vector<double> Model<T>::spe(const SparseRows<T>& x) const {
  if (!scale.empty()) return of_expanded(*this, x, [&](const Rows<T>& dense) { return spe(dense); });
  const Index with_variance = (reported_values(*this).array() > 0.0).count();
  return squared_distances(*this, with_variance, x);
}

template <typename T>
std::vector<double> Model<T>::log_likelihood(const Rows<T>& x) const {
  return log_likelihoods(*this, x);
}

template <typename T>
std::vector<double> Model<T>::log_likelihood(const SparseRows<T>& x) const {
  if (!scale.empty())
    return of_expanded(*this, x, [&](const Rows<T>& dense) { return log_likelihood(dense); });
  return log_likelihoods(*this, x);
}

template <typename T>
std::optional<Index> components_explaining(const Model<T>& model, double fraction) {
  if (!(model.trace() > 0.0)) return 1;
  const auto values = as_eigen(model.eigenvalues);
  double sum = 0.0;
  for (Index i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (sum / model.trace() > fraction) return i + 1;
  }
  if (values.size() == model.features()) return values.size();  // smaller only by rounding
  return std::nullopt;
}

template <typename T>
Model<T> reporting(Model<T> model, Index n_components) {
  const Index held = model.basis.rows();
  if (n_components < 1 || n_components > held) {
    throw std::invalid_argument("the model holds " + std::to_string(held) + " components, not " +
                                std::to_string(n_components));
  }
  if (!model.axes.empty()) {
    for (Index i = model.n_components; i < n_components; ++i) {
      model.axes.push_back(default_sign(model, i) * (i + 1));
    }
    std::erase_if(model.axes, [&](Index axis) { return std::abs(axis) > n_components; });
  }
  model.n_components = n_components;
  model.options.n_components = n_components;
  if (model.resolved.method != Method::kExact) model.options.oversampling = held - n_components;
  return model;
}

template struct Model<float>;
template struct Model<double>;
template std::optional<Index> components_explaining(const Model<float>&, double);
template std::optional<Index> components_explaining(const Model<double>&, double);
template Model<float> reporting(Model<float>, Index);
template Model<double> reporting(Model<double>, Index);

}  // namespace roipca
