#include "roipca/model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "model/projector.hpp"

namespace roipca {
namespace {

// Of a row so far out, beside the variance, that its squared distance overflows: low enough to be the least
// of all, and a mean over many rows stays finite, too.
constexpr double kLeastLogLikelihood = -1e300;

template <typename T>
void require_width(const Rows<T>& rows, Index width, const char* what) {
  if (rows.cols() == width) return;
  throw std::invalid_argument("the rows have " + std::to_string(rows.cols()) + " " + what +
                              ", but the model has " + std::to_string(width) + " " + what);
}

// 1 or -1 for each reported component: which makes its largest entry positive.
template <typename T>
Vector<T> signs(const Model<T>& model) {
  Vector<T> result(model.n_components);
  for (Index i = 0; i < model.n_components; ++i) {
    Index place = 0;
    model.basis.col(i).cwiseAbs().maxCoeff(&place);
    result[i] = model.basis(place, i) < T{0} ? T{-1} : T{1};
  }
  return result;
}

// Of each row: the sum over the components of score^2 / variance, those of variance 0 left out.
template <typename T>
Vector<double> scaled_scores(const Model<T>& model, const Vector<double>& variance, const Rows<T>& x) {
  require_width<T>(x, model.features(), "features");
  const Vector<double> scale =
      variance.unaryExpr([](double v) { return v > 0.0 ? 1.0 / std::sqrt(v) : 0.0; });
  Vector<double> result(x.rows());
  Projector<T> projector(model, model.n_components, x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    result.segment(first, count) = (projector.scores(count) * scale.asDiagonal()).rowwise().squaredNorm();
  });
  return result;
}

// Of each row: the squared distance from the plane of the first `columns` components.
template <typename T>
Vector<double> squared_distances(const Model<T>& model, Index columns, const Rows<T>& x) {
  require_width<T>(x, model.features(), "features");
  Vector<double> result(x.rows());
  Projector<T> projector(model, columns, x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    projector.subtract_components(count);
    result.segment(first, count) =
        projector.centred(count).template cast<double>().colwise().squaredNorm().transpose();
  });
  return result;
}

}  // namespace

template <typename T>
RowMatrix<T> Model<T>::components() const {
  return (basis.leftCols(n_components) * signs(*this).asDiagonal()).transpose();
}

template <typename T>
double Model<T>::degrees_of_freedom() const {
  if (!options.center) return weight;
  return weight > 0.0 ? 2.0 * weight_pairs / weight : 0.0;
}

template <typename T>
Vector<double> Model<T>::explained_variance() const {
  const double divisor = degrees_of_freedom();
  if (divisor == 0.0) return Vector<double>::Zero(n_components);
  return eigenvalues.head(n_components) / divisor;
}

template <typename T>
Vector<double> Model<T>::explained_variance_ratio() const {
  // Where the components have all the variance, rounding decides which is larger.
  const double roundings = static_cast<double>(n_components + 4) * std::numeric_limits<double>::epsilon();
  const double total = std::max(trace(), (1.0 + roundings) * eigenvalues.head(n_components).sum());
  if (!(total > 0.0)) return Vector<double>::Zero(n_components);
  return eigenvalues.head(n_components) / total;
}

template <typename T>
Vector<double> Model<T>::singular_values() const {
  return eigenvalues.head(n_components).cwiseSqrt();
}

template <typename T>
Vector<double> Model<T>::feature_variance() const {
  const double divisor = degrees_of_freedom();
  if (divisor == 0.0) return Vector<double>::Zero(features());
  return scatter / divisor;
}

template <typename T>
double Model<T>::noise_variance() const {
  const Index outside = features() - n_components;
  const double divisor = degrees_of_freedom();
  if (outside == 0 || divisor == 0.0) return 0.0;
  const double left = trace() - eigenvalues.head(n_components).sum();
  return std::max(0.0, left) / static_cast<double>(outside) / divisor;
}

template <typename T>
RowMatrix<T> Model<T>::transform(const Rows<T>& x) const {
  require_width<T>(x, features(), "features");
  const Vector<double> sign = signs(*this).template cast<double>();
  RowMatrix<T> scores(x.rows(), n_components);
  Projector<T> projector(*this, n_components, x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    scores.middleRows(first, count) = (projector.scores(count) * sign.asDiagonal()).template cast<T>();
  });
  return scores;
}

template <typename T>
RowMatrix<T> Model<T>::inverse_transform(const Rows<T>& scores) const {
  require_width<T>(scores, n_components, "components");
  RowMatrix<T> x(scores.rows(), features());
  Projector<T> projector(*this, n_components, scores.rows());
  projector.for_each_chunk_of_scores(scores * signs(*this).asDiagonal(), [&](Index first, Index count) {
    x.middleRows(first, count) =
        (projector.centred(count).template cast<double>().colwise() + mean).transpose().template cast<T>();
  });
  return x;
}

template <typename T>
Vector<double> Model<T>::t2(const Rows<T>& x) const {
  return scaled_scores(*this, explained_variance(), x);
}

template <typename T>
Vector<double> Model<T>::spe(const Rows<T>& x) const {
  const Index with_variance = (eigenvalues.head(n_components).array() > 0.0).count();
  return squared_distances(*this, with_variance, x);
}

// Covariance Q diag(max(variance, noise)) Q^T + noise (I - Q Q^T).
template <typename T>
Vector<double> Model<T>::log_likelihood(const Rows<T>& x) const {
  const Index outside = features() - n_components;
  const double floor = std::max(std::numeric_limits<double>::epsilon() * explained_variance().maxCoeff(),
                                std::numeric_limits<double>::min());
  const double noise = std::max(noise_variance(), floor);
  const Vector<double> variance = explained_variance().cwiseMax(noise);
  const double log_determinant =
      variance.array().log().sum() + static_cast<double>(outside) * std::log(noise);
  const double constant =
      static_cast<double>(features()) * std::log(2.0 * std::numbers::pi) + log_determinant;
  Vector<double> distance = scaled_scores(*this, variance, x);
  if (outside > 0) distance += squared_distances(*this, n_components, x) / noise;
  // Keeps what is no number.
  return distance.unaryExpr([&](double d) {
    const double log_density = -0.5 * (d + constant);
    return log_density < kLeastLogLikelihood ? kLeastLogLikelihood : log_density;
  });
}

template <typename T>
void check(const Model<T>& model) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a model: ") + what);
  };
  check(model.options);
  const Index d = model.features();
  const Index held = model.eigenvalues.size();
  require(d > 0, "no features");
  require(model.n_components == capacity(model.options, d).reported,
          "n_components is not what its options ask for");
  require(model.mean_tail.size() == d && model.scatter.size() == d && model.basis.rows() == d,
          "mean, mean_tail, scatter and basis are of different widths");
  require(model.basis.cols() == held, "eigenvalues and basis are of different sizes");
  require(held >= model.n_components && held <= d, "fewer components than reported, or more than features");
  require(model.feature_names.empty() || static_cast<Index>(model.feature_names.size()) == d,
          "there are feature names, but not one a feature");
  require(model.rows > 0 && model.weight > 0.0 && std::isfinite(model.weight) && model.weight_pairs >= 0.0 &&
              std::isfinite(model.weight_pairs),
          "rows and weights must be positive and finite");
  require(model.mean.allFinite() && model.mean_tail.allFinite(), "the mean is not finite");
  require(model.scatter.allFinite() && model.scatter.minCoeff() >= 0.0,
          "the scatter is not finite or negative");
  require(model.eigenvalues.allFinite() && model.eigenvalues.minCoeff() >= 0.0,
          "an eigenvalue is not finite or negative");
  require(std::is_sorted(model.eigenvalues.data(), model.eigenvalues.data() + held, std::greater<>()),
          "the eigenvalues are not descending");
  require(std::isfinite(model.scatter_trace) && model.scatter_trace >= 0.0,
          "the trace is not finite or negative");
  const Matrix<T> gram = model.basis.transpose() * model.basis;
  const T slack = std::sqrt(std::numeric_limits<T>::epsilon());
  require(gram.allFinite() && (gram - Matrix<T>::Identity(held, held)).cwiseAbs().maxCoeff() <= slack,
          "the components are not orthonormal");
}

template struct Model<float>;
template struct Model<double>;
template void check(const Model<float>&);
template void check(const Model<double>&);

}  // namespace roipca
