/// Products of dense matrices in double. Eigen compiles a product for each pair of types, in every source
/// that uses it, which takes up to a second each; these are compiled once.
#pragma once

#include <type_traits>

#include "linalg/eigen_types.hpp"

namespace roipca::linalg {

/// Refers to the numbers of an Eigen matrix, map or block, or of the transpose of one. Other expressions must
/// be evaluated first. `Number` is double or const double.
template <typename Number>
struct Operand {
  template <typename Source>
  requires(static_cast<int>(Source::InnerStrideAtCompileTime) == 1 &&
           (std::is_const_v<Number> || (Source::Flags & Eigen::LvalueBit) != 0))
      Operand(const Eigen::MatrixBase<Source>& source)
      : data(const_cast<Number*>(source.derived().data())),
        rows(source.rows()),
        cols(source.cols()),
        stride(source.derived().outerStride()),
        is_row_major(Source::IsRowMajor) {}

  Number* data;
  Index rows;
  Index cols;
  Index stride;  // distance between columns, or between rows
  bool is_row_major;
};

/// Returns a b.
Matrix<double> product(const Operand<const double>& a, const Operand<const double>& b);
/// Computes c = a b. c must not overlap with a or b.
void multiply(const Operand<const double>& a, const Operand<const double>& b, const Operand<double>& c);
/// Computes c += factor a b. c must not overlap with a or b.
void add_product(double factor, const Operand<const double>& a, const Operand<const double>& b,
                 const Operand<double>& c);

/// Return a x, and compute y += factor a x.
Vector<double> apply(const Operand<const double>& a, const Eigen::Ref<const Vector<double>>& x);
void add_applied(double factor, const Operand<const double>& a, const Eigen::Ref<const Vector<double>>& x,
                 Eigen::Ref<Vector<double>> y);

}  // namespace roipca::linalg
