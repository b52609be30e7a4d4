#include "linalg/products.hpp"

#include <utility>

namespace roipca::linalg {
namespace {

using ByColumns = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>;
using ByRows = Eigen::Map<const RowMatrix<double>, 0, Eigen::OuterStride<>>;
using Result = Eigen::Map<Matrix<double>, 0, Eigen::OuterStride<>>;

// Calls use(map) for the order in which the numbers are stored.
template <typename Use>
void with_map(const Operand<const double>& a, Use use) {
  if (a.is_row_major) {
    use(ByRows(a.data, a.rows, a.cols, Eigen::OuterStride<>(a.stride)));
  } else {
    use(ByColumns(a.data, a.rows, a.cols, Eigen::OuterStride<>(a.stride)));
  }
}

template <typename Number>
Operand<Number> transposed(Operand<Number> a) {
  std::swap(a.rows, a.cols);
  a.is_row_major = !a.is_row_major;
  return a;
}

// Calls use(a, b, c) with maps, of the transposed product if c is stored by rows.
template <typename Use>
void with_maps(const Operand<const double>& a, const Operand<const double>& b, const Operand<double>& c,
               Use use) {
  if (c.is_row_major) return with_maps(transposed(b), transposed(a), transposed(c), use);
  Result result(c.data, c.rows, c.cols, Eigen::OuterStride<>(c.stride));
  with_map(a, [&](const auto& left) { with_map(b, [&](const auto& right) { use(left, right, result); }); });
}

}  // namespace

Matrix<double> product(const Operand<const double>& a, const Operand<const double>& b) {
  Matrix<double> c(a.rows, b.cols);
  multiply(a, b, c);
  return c;
}

void multiply(const Operand<const double>& a, const Operand<const double>& b, const Operand<double>& c) {
  with_maps(a, b, c,
            [](const auto& left, const auto& right, auto& result) { result.noalias() = left * right; });
}

void add_product(double factor, const Operand<const double>& a, const Operand<const double>& b,
                 const Operand<double>& c) {
  with_maps(a, b, c, [factor](const auto& left, const auto& right, auto& result) {
    result.noalias() += factor * (left * right);
  });
}

Vector<double> apply(const Operand<const double>& a, const Eigen::Ref<const Vector<double>>& x) {
  Vector<double> y = Vector<double>::Zero(a.rows);
  add_applied(1.0, a, x, y);
  return y;
}

void add_applied(double factor, const Operand<const double>& a, const Eigen::Ref<const Vector<double>>& x,
                 Eigen::Ref<Vector<double>> y) {
  with_map(a, [&](const auto& matrix) { y.noalias() += factor * (matrix * x); });
}

}  // namespace roipca::linalg
