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
/// The way rows are cut into calls does not change the result, to the last bit, and neither does reading it
/// in between. Memory is O(held x features) (kExact: O(features^2)) whatever the number of rows, and no call
/// allocates per row.
///
/// Every function that takes rows checks them first: a row with a NaN, an infinity, a number that is too
/// large or a weight out of range throws DataError, a wrong width std::invalid_argument, and the estimator is
/// then as it was before the call. Numbers may reach 1e151, in a row of weight w above 1 only 1e151 /
/// sqrt(w): eigenvalues are sums of weighted squares. Such sums have room for 1e5 numbers at that limit, and
/// for 1e25 at 1e141.
///
/// A moved-from estimator may only be assigned to or destroyed.
///
/// Thread safety: as a standard container; const functions may run side by side, others not.
template <typename T>
class OnlinePca {
 public:
  /// Throws std::invalid_argument for options out of range.
  explicit OnlinePca(const Options& options);
  /// Goes on from where a model stopped, with the model's options. A model is less than the estimator knows:
  /// for the same bits as never stopping, keep state() instead. From a model, froipca and ipca row by row
  /// come to the same bits (to rounding where an eigenvalue was no more than that), roipca row by row and
  /// exact to the same to rounding. By blocks, the stop ends a block before it is full: where the components
  /// held miss nothing of the rows that is the same to rounding, too, and elsewhere it changes as little as
  /// another block_size would. The others begin from the model's orthonormal components, which are not quite
  /// their own. Model::change begins anew. (A template, so that `{.n_components = 10}` means Options.)
  template <std::same_as<Model<T>> M>
  explicit OnlinePca(const M& model) : OnlinePca(Resumed{&model}) {}

  OnlinePca(const OnlinePca& other);
  OnlinePca(OnlinePca&& other) noexcept;
  OnlinePca& operator=(OnlinePca other) noexcept;
  ~OnlinePca();

  /// Everything that the estimator knows, in the middle of a stream too: from_state(state()) goes on to the
  /// same bits as if it had never stopped, on machines of one kind with one instruction_set() (to rounding
  /// where only that differs). Takes O(memory of the estimator); docs/format.md has the layout.
  std::vector<std::byte> state() const;
  /// Throws std::invalid_argument that says what is wrong with bytes that are damaged or cut, of another
  /// version of the format or of another T; they are checked as a whole before any is used. The checksum
  /// guards against accidents, not against forgery: take states only from those who may run code here.
  static OnlinePca from_state(std::span<const std::byte> bytes);

  /// Forgets everything and adds the rows. Methods that work row by row start from a batch PCA of the first
  /// 500, as the paper's experiments do. If `check_interrupt` throws, the estimator is as it was before.
  OnlinePca& fit(const Rows<T>& rows, const Weights& weights = {},
                 const InterruptCheck& check_interrupt = {});
  /// Adds rows, one or more. A row of weight 0 is checked and then left out. If `check_interrupt` throws, the
  /// estimator is as it was before. A call with no more numbers than 2^17 or than the components held is
  /// short and does not look at it.
  OnlinePca& partial_fit(const Rows<T>& rows, const Weights& weights = {},
                         const InterruptCheck& check_interrupt = {});
  /// The same for sparse rows, at the cost of their nonzeros by blocks of roipca and ipca; the other methods
  /// expand them. Centring stays implicit: nothing is made dense. Rows may be mixed with dense ones, call by
  /// call; a change of kind ends a block.
  OnlinePca& fit(const SparseRows<T>& rows, const Weights& weights = {},
                 const InterruptCheck& check_interrupt = {});
  OnlinePca& partial_fit(const SparseRows<T>& rows, const Weights& weights = {},
                         const InterruptCheck& check_interrupt = {});
  /// Adds one row.
  OnlinePca& update(const Row<T>& row, double weight = 1.0);

  /// Adds the rows of another estimator, which must have seen rows, as this one must: see `merge` of models
  /// (roipca/merge.hpp) for what can be merged, and for `decay`. Where `adds_scatters()`, this adds the two
  /// scatter matrices and solves no eigenproblem: O(features^2). Otherwise it goes on from the merged model.
  /// If it throws, the estimator is as it was before.
  OnlinePca& merge(const OnlinePca& other, std::optional<double> decay = std::nullopt);
  /// Whether the estimator has rows and knows all of their scatter matrix, in the units of the rows: method
  /// exact, without standardizing, missing values and a window.
  bool adds_scatters() const;

  /// Returns the model of all rows so far. The first call after new rows costs O(held x features) or, for
  /// methods that collect rows, one step more, and is remembered until the next rows. Throws std::logic_error
  /// when no row has been seen.
  Model<T> model() const;
  /// Returns the same model without a copy: the same object until the next rows, which do not change it.
  std::shared_ptr<const Model<T>> snapshot() const;

  const Options& options() const;
  /// 0 before the first row.
  Index features() const;
  std::int64_t rows_seen() const;
  /// The rate with which the last row that was not zero entered each held component: fROIPCA's eta* (the
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
