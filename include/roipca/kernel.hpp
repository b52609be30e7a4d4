/// Kernels: inner products of rows in a feature space that is never formed.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "roipca/types.hpp"

namespace roipca {

/// A kernel k(x, y), with scikit-learn's names and meanings. Values are in double whatever the type of the
/// rows.
///
/// Thread safety: as a standard container, if the function of `custom` allows it.
template <typename T>
class Kernel {
 public:
  using Function = std::function<double(const Row<T>& x, const Row<T>& y)>;

  /// x.y
  static Kernel linear() { return Kernel(Kind::kLinear); }
  /// exp(-gamma |x - y|^2). Here and below, gamma is 1 / features unless given.
  static Kernel rbf(std::optional<double> gamma = std::nullopt) { return Kernel(Kind::kRbf, gamma); }
  /// (gamma x.y + coef0)^degree
  static Kernel poly(std::optional<double> gamma = std::nullopt, double degree = 3.0, double coef0 = 1.0) {
    return Kernel(Kind::kPoly, gamma, degree, coef0);
  }
  /// tanh(gamma x.y + coef0). Not positive semi-definite in general.
  static Kernel sigmoid(std::optional<double> gamma = std::nullopt, double coef0 = 1.0) {
    return Kernel(Kind::kSigmoid, gamma, 0.0, coef0);
  }
  /// Any symmetric function that is positive semi-definite.
  static Kernel custom(Function function);

  bool is_custom() const { return kind_ == Kind::kCustom; }

  double operator()(const Row<T>& x, const Row<T>& y) const;
  /// Computes out[i] = k(x, row i) for every row.
  void against(const Row<T>& x, const Rows<T>& rows, std::span<double> out) const;

 private:
  enum class Kind { kLinear, kRbf, kPoly, kSigmoid, kCustom };

  explicit Kernel(Kind kind, std::optional<double> gamma = std::nullopt, double degree = 0.0,
                  double coef0 = 0.0);

  Kind kind_;
  std::optional<double> gamma_;
  double degree_;
  double coef0_;
  Function function_;
};

extern template class Kernel<float>;
extern template class Kernel<double>;

}  // namespace roipca
