/// The estimator: rows in, a model out, at any time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/model.hpp"
#include "roipca/options.hpp"
#include "roipca/sparse.hpp"

namespace roipca {

/// A function that ends a long call by throwing an exception, for example because the user pressed Ctrl-C.
/// The thread that made the call runs it about twenty times a second, between blocks of rows, and once more
/// before the call takes effect. The exception reaches the caller.
using InterruptCheck = std::function<void()>;

/// PCA of a stream of rows.
///
///     roipca::OnlinePca<double> pca({.n_components = 10});
///     while (read(rows)) pca.partial_fit(rows);          // any number of rows at a time, from the first on
///     auto scores = pca.model().transform(rows);
///
/// The result does not depend on how rows are divided into calls, to the last bit, or on whether the model is
/// read in between. Memory is O(held x features) (kExact: O(features^2)) whatever the number of rows, and no
/// call allocates per row.
///
/// Every function that takes rows checks them first. A row with a NaN, an infinity, a number that is too
/// large or a weight out of range throws DataError, and a wrong width throws std::invalid_argument; the
/// estimator is then as it was before the call. Numbers may be as large as 1e151, or 1e151 / sqrt(w) in a row
/// of weight w above 1, because eigenvalues are sums of weighted squares. Such sums have room for 1e5 numbers
/// at that limit, and for 1e25 at 1e141.
///
/// A moved-from estimator may only be assigned to or destroyed.
///
/// Thread safety: as a standard container; const functions may run concurrently, others may not.
template <typename T>
class OnlinePca {
 public:
  /// Makes an estimator without rows. Throws std::invalid_argument for options out of range.
  explicit OnlinePca(const Options& options);
  /// Resumes from a model, with the model's options. A model contains less than the estimator knows: for the
  /// same bits as without a stop, keep state() instead. Resumed from a model, froipca and ipca row by row
  /// give the same bits (to rounding if an eigenvalue was no more than rounding); roipca row by row and exact
  /// give the same result to rounding. By blocks, the stop ends a block before it is full. If the held
  /// components miss nothing of the rows, the result is again the same to rounding, and otherwise it differs
  /// as little as with another block_size. The other methods begin with the model's orthonormal components,
  /// which are not quite their own. Model::change starts again. (A template, so that `{.n_components = 10}`
  /// means Options.)
  template <std::same_as<Model<T>> M>
  explicit OnlinePca(const M& model) : OnlinePca(Resumed{&model}) {}

  OnlinePca(const OnlinePca& other);
  OnlinePca(OnlinePca&& other) noexcept;
  OnlinePca& operator=(OnlinePca other) noexcept;
  ~OnlinePca();

  /// Returns everything that the estimator knows, also in the middle of a stream, as bytes:
  /// from_state(state()) resumes with the same bits as if it had never stopped, on machines of one kind with
  /// one instruction_set() (to rounding if only that differs). Takes O(memory of the estimator);
  /// docs/format.md has the layout.
  std::vector<std::byte> state() const;
  /// Restores an estimator from its state. Throws std::invalid_argument that says what is wrong with bytes
  /// that are damaged, truncated, or of another version of the format or another T; all bytes are checked
  /// before any is used. The checksum guards against accidents, not against forgery: load states only from
  /// sources that you would let run code.
  static OnlinePca from_state(std::span<const std::byte> bytes);

  /// Forgets everything and adds the rows. Methods that update row by row start from a batch PCA of the first
  /// 500 rows, as the paper's experiments do. If `check_interrupt` throws, the estimator is as it was before.
  OnlinePca& fit(const Rows<T>& rows, const Weights& weights = {},
                 const InterruptCheck& check_interrupt = {});
  /// Adds one row or more. A row of weight 0 is checked and then left out. If `check_interrupt` throws, the
  /// estimator is as it was before. Short calls, with at most 2^17 numbers or at most as many as the held
  /// components have, do not call it.
  OnlinePca& partial_fit(const Rows<T>& rows, const Weights& weights = {},
                         const InterruptCheck& check_interrupt = {});
  /// Does the same for sparse rows. If roipca and ipca update by blocks, the cost is that of the nonzeros;
  /// the other methods expand the rows. Centring stays implicit: nothing is made dense. Calls with sparse and
  /// dense rows may be mixed; a change from one kind to the other ends a block.
  OnlinePca& fit(const SparseRows<T>& rows, const Weights& weights = {},
                 const InterruptCheck& check_interrupt = {});
  OnlinePca& partial_fit(const SparseRows<T>& rows, const Weights& weights = {},
                         const InterruptCheck& check_interrupt = {});
  /// Adds one row.
  OnlinePca& update(const Row<T>& row, double weight = 1.0);

  /// Adds the rows of another estimator. Both must have seen rows. See `merge` of models (roipca/merge.hpp)
  /// for what can be merged, and for `decay`. If `adds_scatters()`, this adds the two scatter matrices, in
  /// O(features^2), and solves no eigenproblem. Otherwise it resumes from the merged model. If it throws, the
  /// estimator is as it was before.
  OnlinePca& merge(const OnlinePca& other, std::optional<double> decay = std::nullopt);
  /// Returns whether the estimator has rows and keeps their whole scatter matrix in the units of the rows:
  /// method exact, without standardizing, missing values and a window.
  bool adds_scatters() const;

  /// Returns the model of all rows so far. The first call after new rows costs O(held x features) or, for
  /// methods that collect rows, one more update; the result is kept until rows are added. Throws
  /// std::logic_error before the first row.
  Model<T> model() const;
  /// Returns the same model without a copy: the same object until rows are added, which do not change it.
  std::shared_ptr<const Model<T>> snapshot() const;
  /// Returns a model with the same reported components, perhaps without the others that are held: for sparse
  /// rows of many features, this can take half of the time and memory, and for method exact with more than
  /// 1,024 features, or from 256 on if few components are reported, half or less. All results along the
  /// components have the same bits for sparse rows, and are equal to rounding for method exact. To save,
  /// merge, refine or resume a model, to ask for another number of components, for limits and errors, or to
  /// fill missing values, use `snapshot`.
  std::shared_ptr<const Model<T>> reported() const;

  const Options& options() const;
  /// Returns the number of features; 0 before the first row.
  Index features() const;
  std::int64_t rows_seen() const;
  /// Returns the learning rate of each held component at the last row that was not zero: fROIPCA's eta* (the
  /// paper's optimal learning rate), or c/n for GHA and Oja's rule. Empty for other methods and before the
  /// first update.
  std::vector<double> learning_rates() const;

 private:
  class Impl;
  struct Resumed {
    const Model<T>* model;
  };
  explicit OnlinePca(Resumed resumed);

  std::unique_ptr<Impl> impl_;
};

extern template class OnlinePca<float>;
extern template class OnlinePca<double>;

}  // namespace roipca
