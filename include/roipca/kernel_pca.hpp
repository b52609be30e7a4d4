/// Kernel PCA of a stream: rows in, components in feature space out, at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/kernel.hpp"
#include "roipca/types.hpp"

namespace roipca {

struct KernelOptions {
  /// Components to report; 0 for all that have variance.
  Index n_components = 0;
  /// Take the mean of the rows in feature space out.
  bool center = true;
  /// Eigenpairs held beyond those reported, where only some are: max(10, n_components / 5) unless given.
  std::optional<Index> oversampling = std::nullopt;
  /// Rows kept at most; all unless given. With it, memory is O(budget (features + budget)) for ever.
  std::optional<Index> budget = std::nullopt;
  /// With a budget: how far a row may be from the span of those kept, in feature space and of its own length,
  /// to count as represented by them. Below about the root of the kernel values' rounding (1e-7, or 1e-3
  /// where a custom kernel computes in float) a smaller one makes no difference.
  double tolerance = 1e-3;
};

/// Throws std::invalid_argument that names the first option that is out of range.
void check(const KernelOptions& options);

/// What has been found, as scikit-learn's KernelPCA says it.
struct KernelComponents {
  /// Of the (centred) kernel matrix of all rows, descending.
  std::vector<double> eigenvalues;
  /// One per row, with one entry per kept row; the largest entry of each is positive. Component i is the sum
  /// over the kept rows of eigenvectors(i, j) / sqrt(eigenvalues[i]) times row j in feature space, and has
  /// length 1 there. If all rows are kept, these are the orthonormal eigenvectors of the kernel matrix.
  OwnedRows<double> eigenvectors;
  /// Kernel values of the mean against the kept rows, which centring takes off those of a row.
  std::vector<double> offset;
};

/// Kernel PCA of a stream of rows.
///
///     roipca::KernelPca<double> pca(roipca::Kernel<double>::rbf(0.5), {.n_components = 2});
///     while (read(rows)) pca.partial_fit(rows);          // any number of rows at a time, from the first on
///     auto scores = pca.transform(rows);
///
/// Without a budget every row is kept and the kernel matrix's eigenpairs are updated by rank-one updates
/// (docs/kernel-pca.md): exactly where all are held, else by the paper's partial-spectrum formulas. A row
/// costs O(rows x (features + held^2)). With a budget, time a row and memory are bounded.
///
/// A row with a NaN or an infinity throws DataError, a kernel that gives NaN, is not symmetric or, where that
/// can be seen, not positive semi-definite throws KernelError, a wrong width std::invalid_argument; what a
/// custom kernel throws comes through. Then the object is as it was before the call.
///
/// A moved-from object may only be assigned to or destroyed.
///
/// Thread safety: as a standard container, if the kernel is so.
template <typename T>
class KernelPca {
 public:
  KernelPca(Kernel<T> kernel, const KernelOptions& options);
  KernelPca(const KernelPca& other);
  KernelPca(KernelPca&& other) noexcept;
  KernelPca& operator=(KernelPca other) noexcept;
  ~KernelPca();

  /// Forgets everything and adds the rows.
  KernelPca& fit(const Rows<T>& rows);
  /// Adds rows, one or more.
  KernelPca& partial_fit(const Rows<T>& rows);

  /// O(kept rows x held), with a budget O(budget^3). Throws std::logic_error before the first row, and
  /// KernelError where an eigenvalue to be reported is negative and not by rounding.
  KernelComponents components() const;
  /// Scores on the components; those without variance give 0. Reading the components once and passing them
  /// saves doing it again for every call.
  OwnedRows<T> transform(const Rows<T>& rows) const { return transform(rows, components()); }
  OwnedRows<T> transform(const Rows<T>& rows, const KernelComponents& components) const;

  const KernelOptions& options() const;
  /// 0 before the first row.
  Index features() const;
  std::int64_t rows_seen() const;
  /// The rows kept, in the order in which they came.
  OwnedRows<T> kept_rows() const;
  /// Their numbers in the stream, from 0 on.
  std::vector<std::int64_t> kept_numbers() const;
  /// The part of the sum of k(x, x) over all rows that the kept ones do not represent: 0 without a budget.
  double representation_error() const;

  /// Everything but the kernel: from_state(kernel, state()) goes on to the same bits as if it had never
  /// stopped.
  std::vector<std::byte> state() const;
  /// Throws std::invalid_argument that says what is wrong with the bytes.
  static KernelPca from_state(Kernel<T> kernel, std::span<const std::byte> bytes);

 private:
  class Impl;
  explicit KernelPca(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

extern template class KernelPca<float>;
extern template class KernelPca<double>;

}  // namespace roipca
