#include <stdexcept>
#include <string>

#include "model/projector.hpp"
#include "roipca/limits.hpp"

namespace roipca {
namespace {

template <typename T>
void require_width(const Model<T>& model, const Rows<T>& x) {
  if (x.cols() == model.features()) return;
  throw std::invalid_argument("the rows have " + std::to_string(x.cols()) + " features, but the model has " +
                              std::to_string(model.features()) + " features");
}

template <typename T>
Index with_variance(const Model<T>& model) {
  return (as_eigen(model.eigenvalues).head(model.n_components).array() > 0.0).count();
}

}  // namespace

template <typename T>
OwnedRows<T> t2_contributions(const Model<T>& model, const Rows<T>& x) {
  require_width(model, x);
  OwnedRows<T> result(x.rows(), model.features());
  const Index columns = with_variance(model);
  const Vector<double> variance = as_eigen(model.explained_variance()).head(columns);
  Projector<T> projector(model, columns, x.rows());
  Matrix<T> centred;
  projector.for_each_chunk(x, [&](Index first, Index count) {
    centred = projector.centred(count);
    projector.replace_by_combination(
        (projector.scores(count) * variance.cwiseInverse().asDiagonal()).template cast<T>());
    as_eigen(result).middleRows(first, count) = centred.cwiseProduct(projector.centred(count)).transpose();
  });
  return result;
}

template <typename T>
OwnedRows<T> spe_contributions(const Model<T>& model, const Rows<T>& x) {
  require_width(model, x);
  OwnedRows<T> result(x.rows(), model.features());
  Projector<T> projector(model, with_variance(model), x.rows());
  projector.for_each_chunk(x, [&](Index first, Index count) {
    projector.subtract_components(count);
    auto squares = as_eigen(result).middleRows(first, count);
    squares = projector.centred(count).cwiseAbs2().transpose();
    if (model.options.missing == Missing::kError) return;
    const auto given = as_eigen(x).middleRows(first, count);
    squares = given.array().isNaN().select(T{0}, squares);
  });
  return result;
}

template OwnedRows<float> t2_contributions(const Model<float>&, const Rows<float>&);
template OwnedRows<double> t2_contributions(const Model<double>&, const Rows<double>&);
template OwnedRows<float> spe_contributions(const Model<float>&, const Rows<float>&);
template OwnedRows<double> spe_contributions(const Model<double>&, const Rows<double>&);

}  // namespace roipca
