/// One more pass over the rows of a model, which brings it closer to batch PCA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "roipca/model.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/sparse.hpp"

namespace roipca {

/// Refines the components of a model by reading its rows again.
///
///     roipca::Model<double> model = pca.model();           // after one pass over a file
///     roipca::Refinement<double> refinement(model);
///     while (read(rows)) refinement.add(rows);             // the same rows, in any order and cuts
///     model = refinement.finish();
///
/// With the components Q of the model and the scatter matrix S about its mean, a pass collects S Q, and
/// `finish` computes the eigenpairs of the Nystroem approximation of S - alpha I plus alpha
/// (docs/accuracy.md). Each pass divides the subspace error by five or more, unless the eigenvalues hardly
/// fall beyond the held components. `for_more_passes` (options.hpp) returns options for the first pass that
/// make two passes more accurate. All held components are refined; mean, weights and trace are those of the
/// model. A model of the exact method stays as it is, and a pass only checks whether the rows are its rows.
///
/// A standardized model is first rescaled to the standard deviations of all its rows, which it knows at the
/// end of the stream, and the pass reads the rows divided by these: the result approaches PCA of the
/// correlation matrix.
///
/// The result does not depend on how rows are divided into calls, to the last bit. Memory is O(held x
/// features). Calls throw what OnlinePca::partial_fit throws, and then change nothing. A moved-from
/// refinement may only be assigned to or destroyed.
///
/// Thread safety: as a standard container; const functions may run concurrently, others may not.
template <typename T>
class Refinement {
 public:
  /// Copies the model. Throws std::invalid_argument if it is not valid, or if it used forgetting or a window:
  /// then rows count by their age, which another pass does not know.
  explicit Refinement(const Model<T>& model);

  Refinement(const Refinement& other);
  Refinement(Refinement&& other) noexcept;
  Refinement& operator=(Refinement other) noexcept;
  ~Refinement();

  /// Adds one row or more, with the weights that they had before. See OnlinePca::partial_fit for
  /// `check_interrupt`.
  Refinement& add(const Rows<T>& rows, const Weights& weights = {},
                  const InterruptCheck& check_interrupt = {});
  /// Does the same for sparse rows, at the cost of their nonzeros. Sparse and dense rows may be mixed.
  Refinement& add(const SparseRows<T>& rows, const Weights& weights = {},
                  const InterruptCheck& check_interrupt = {});

  /// Adds the rows of another refinement of the same model, for threads, processes and clusters that read
  /// separate parts. Throws std::invalid_argument if the other refines another model.
  Refinement& merge(const Refinement& other);

  /// Returns the number of rows of positive weight so far.
  std::int64_t rows() const;
  /// Returns the model to refine.
  const Model<T>& model() const;

  /// Returns the refined model. Throws std::invalid_argument unless the rows are those of the model, judged
  /// by their number, weight, means and total variance.
  Model<T> finish() const;

  /// Returns the sums of the pass, without the model, as bytes: from_state(model(), state()) resumes with the
  /// same bits.
  std::vector<std::byte> state() const;
  /// Restores a refinement. Throws std::invalid_argument for bytes that are damaged or belong to another
  /// model.
  static Refinement from_state(const Model<T>& model, std::span<const std::byte> bytes);

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

extern template class Refinement<float>;
extern template class Refinement<double>;

}  // namespace roipca
