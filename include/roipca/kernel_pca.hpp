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
  /// Number of components to report; 0 for all that have variance.
  Index n_components = 0;
  /// Subtract the mean of the rows in feature space.
  bool center = true;
  /// Number of eigenpairs held beyond those reported, if not all are held: max(10, n_components / 5) unless
  /// given.
  std::optional<Index> oversampling = std::nullopt;
  /// Largest number of rows to keep; all rows unless given. With a budget, memory is O(budget (features +
  /// budget)) for a stream of any length.
  std::optional<Index> budget = std::nullopt;
  /// With a budget: a row counts as represented by the kept rows if its distance from their span in feature
  /// space is at most this fraction of its length. Values below about the root of the rounding of kernel
  /// values (1e-7, or 1e-3 if a custom kernel computes in float) make no difference.
  double tolerance = 1e-3;
};

/// Throws std::invalid_argument that names the first option that is out of range.
void check(const KernelOptions& options);

/// The components found so far, in the form of scikit-learn's KernelPCA.
struct KernelComponents {
  /// Eigenvalues of the (centred) kernel matrix of all rows, in descending order.
  std::vector<double> eigenvalues;
  /// Eigenvectors, one per row, with one entry per kept row; the largest entry of each is positive. Component
  /// i is the sum over the kept rows of eigenvectors(i, j) / sqrt(eigenvalues[i]) times row j in feature
  /// space, and has length 1 there. If all rows are kept, these are the orthonormal eigenvectors of the
  /// kernel matrix.
  OwnedRows<double> eigenvectors;
  /// Kernel values of the mean with the kept rows, which centring subtracts from the kernel values of a row.
  std::vector<double> offset;
};

/// Kernel PCA of a stream of rows.
///
///     roipca::KernelPca<double> pca(roipca::Kernel<double>::rbf(0.5), {.n_components = 2});
///     while (read(rows)) pca.partial_fit(rows);          // any number of rows at a time, from the first on
///     auto scores = pca.transform(rows);
///
/// Without a budget, every row is kept, and the eigenpairs of the kernel matrix are updated by rank-one
/// updates (docs/kernel-pca.md): exactly if all are held, and otherwise by the paper's partial-spectrum
/// formulas. A row costs O(rows x (features + held^2)). With a budget, the time per row and the memory are
/// bounded.
///
/// A row with a NaN or an infinity throws DataError. A kernel that returns NaN, is not symmetric or, as far
/// as can be seen, not positive semi-definite throws KernelError. A wrong width throws std::invalid_argument.
/// Exceptions of a custom kernel reach the caller. In all cases, the object is as it was before the call.
///
/// A moved-from object may only be assigned to or destroyed.
///
/// Thread safety: as a standard container, if that holds for the kernel.
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

  /// Returns the components. Costs O(kept rows x held), or O(budget^3) with a budget. Throws std::logic_error
  /// before the first row, and KernelError if an eigenvalue to be reported is negative beyond rounding.
  KernelComponents components() const;
  /// Returns the scores of rows on the components; they are 0 for components without variance. To avoid
  /// computing the components at every call, read them once and pass them.
  OwnedRows<T> transform(const Rows<T>& rows) const { return transform(rows, components()); }
  OwnedRows<T> transform(const Rows<T>& rows, const KernelComponents& components) const;

  const KernelOptions& options() const;
  /// Returns the number of features; 0 before the first row.
  Index features() const;
  std::int64_t rows_seen() const;
  /// Returns the kept rows, in the order of the stream.
  OwnedRows<T> kept_rows() const;
  /// Returns the zero-based positions of the kept rows in the stream.
  std::vector<std::int64_t> kept_numbers() const;
  /// Returns the part of the sum of k(x, x) over all rows that the kept rows do not represent; 0 without a
  /// budget.
  double representation_error() const;

  /// Returns everything but the kernel as bytes: from_state(kernel, state()) resumes with the same bits as if
  /// it had never stopped.
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
