/// The estimator as Python threads may share it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "csr.hpp"
#include "fork_gate.hpp"
#include "options.hpp"
#include "roipca/roipca.hpp"

namespace roipca::python {

/// Lets Python handle signals that have arrived, and throws what the handlers raise: Ctrl-C ends a long call.
inline void check_signals() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Each call works alone, with the interpreter free for other threads, and changes all or nothing.
template <typename T>
class Estimator {
 public:
  explicit Estimator(const nb::dict& parameters) : pca_(options_from(parameters)) {}
  /// Until the next rows its model is that very one, to the last bit.
  explicit Estimator(const Model<T>& model)
      : pca_(model), snapshot_(std::make_shared<Model<T>>(model)), is_given_(true) {}
  /// From what `state` gave.
  Estimator(std::span<const std::byte> pca, std::span<const std::byte> model)
      : pca_(model.empty() ? OnlinePca<T>::from_state(pca) : OnlinePca<T>(from_bytes<T>(model))),
        is_given_(!model.empty()) {
    if (is_given_) snapshot_ = std::make_shared<Model<T>>(from_bytes<T>(model));
  }

  void fit(const Array<T>& rows, const std::optional<Array<double>>& weights) {
    const auto x = rows_of(rows);
    const auto w = weights_of(weights);
    change([&] { pca_.fit(x, w, check_signals); });
  }

  template <typename I>
  void fit_csr(const Array<T>& data, const Array<I>& indices, const Array<I>& starts, Index columns,
               const std::optional<Array<double>>& weights) {
    const auto w = weights_of(weights);
    change([&] {
      const CsrRows<T, I> rows(data, indices, starts, columns);
      OnlinePca<T> fresh(pca_.options());
      const Index first = starting_rows(fresh.options(), rows, w);
      if (first > 0) {
        OwnedRows<T> dense(first, columns);
        rows.expand(0, first, dense);
        fresh.fit(dense, part_of(w, 0, first));
      }
      absorb(fresh, rows, w, first);
      check_signals();
      pca_ = std::move(fresh);
    });
  }

  /// A bad row is numbered from `first_row` on: the place of these rows in a stream.
  void partial_fit(const Array<T>& rows, const std::optional<Array<double>>& weights, Index first_row) {
    const auto x = rows_of(rows);
    const auto w = weights_of(weights);
    change([&] { numbered_from(first_row, [&] { pca_.partial_fit(x, w, check_signals); }); });
  }

  template <typename I>
  void partial_fit_csr(const Array<T>& data, const Array<I>& indices, const Array<I>& starts, Index columns,
                       const std::optional<Array<double>>& weights, Index first_row) {
    const auto w = weights_of(weights);
    change([&] {
      numbered_from(first_row, [&] {
        const CsrRows<T, I> rows(data, indices, starts, columns);
        if (rows.rows() <= rows_at_once(pca_.options(), rows)) return absorb(pca_, rows, w, 0);
        OnlinePca<T> next(pca_);  // a later part may fail
        absorb(next, rows, w, 0);
        check_signals();
        pca_ = std::move(next);
      });
    });
  }

  void update(const Array<T>& row) {
    const auto x = vector_of(row);
    change([&] { pca_.update(x); });
  }

  /// The model of all rows so far; the same object until the next rows.
  std::shared_ptr<Model<T>> model() {
    return alone([&] {
      if (!snapshot_) snapshot_ = std::const_pointer_cast<Model<T>>(pca_.snapshot());
      return snapshot_;
    });
  }

  /// All that it takes to go on to the same bits, one of two: the estimator's state, or the model that it was
  /// given where it has seen no rows since.
  std::pair<std::vector<std::byte>, std::vector<std::byte>> state() const {
    using Bytes = std::vector<std::byte>;
    return alone([&] {
      return is_given_ ? std::pair(Bytes(), to_bytes(*snapshot_)) : std::pair(pca_.state(), Bytes());
    });
  }

  std::int64_t rows_seen() const {
    return alone([&] { return pca_.rows_seen(); });
  }

 private:
  static constexpr Index kExpanded = 1 << 17;  // numbers expanded at a time: they stay in the cache

  static Weights part_of(const Weights& weights, Index first, Index count) {
    return weights.empty() ? weights : weights.slice(first, count);
  }

  /// All, if they have fewer numbers than the components: the estimator then checks them first, and nobody
  /// needs a copy of it to go back to.
  template <typename I>
  static Index rows_at_once(const Options& options, const CsrRows<T, I>& rows) {
    if (rows.rows() < rows.columns() && rows.rows() <= capacity(options, rows.columns()).held) {
      return rows.rows();
    }
    return std::max<Index>(1, kExpanded / std::max<Index>(1, rows.columns()));
  }

  /// Leading rows that contain all those from which OnlinePca::fit starts; 0 if it starts from nothing.
  template <typename I>
  static Index starting_rows(const Options& options, const CsrRows<T, I>& rows, const Weights& weights) {
    constexpr Index kStart = 500;
    const Method method = resolve(options, rows.columns());
    const bool is_block_method = method == Method::kRoipca || method == Method::kIpca;
    if (method == Method::kExact || (is_block_method && options.update_every == UpdateEvery::kBlock))
      return 0;
    if (weights.size() != rows.rows()) return std::min(kStart, rows.rows());
    Index count = 0;
    for (Index used = 0; count < rows.rows() && used < kStart; ++count) used += weights[count] > 0.0 ? 1 : 0;
    return count;
  }

  /// Adds the rows from `first` on.
  template <typename I>
  static void absorb(OnlinePca<T>& pca, const CsrRows<T, I>& rows, const Weights& weights, Index first) {
    if (weights.size() > 0 && weights.size() != rows.rows()) {
      throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights for " +
                                  std::to_string(rows.rows()) + " rows");
    }
    constexpr std::chrono::milliseconds kPause(50);  // between looks at signals
    auto checked = std::chrono::steady_clock::now();
    const Index at_once = std::min(rows.rows() - first, rows_at_once(pca.options(), rows));
    OwnedRows<T> dense(at_once, rows.columns());
    for (; first < rows.rows(); first += at_once) {
      const auto now = std::chrono::steady_clock::now();
      if (now - checked > kPause) {
        check_signals();
        checked = now;
      }
      const Index count = std::min(at_once, rows.rows() - first);
      rows.expand(first, count, dense);
      numbered_from(first, [&] { pca.partial_fit(dense.slice(0, count), part_of(weights, first, count)); });
    }
  }

  template <typename F>
  static void numbered_from(Index first, F&& work) {
    try {
      work();
    } catch (const DataError& error) {
      throw error.after(first);
    }
  }

  /// Keeps a signal handler from changing the estimator whose call it interrupts. It may read: the estimator
  /// is as it was before the call.
  class Changing {
   public:
    explicit Changing(bool& flag) : flag_(flag) {
      if (flag_) throw std::runtime_error("a signal handler cannot change the estimator that it interrupts");
      flag_ = true;
    }
    ~Changing() { flag_ = false; }
    Changing(const Changing&) = delete;
    Changing& operator=(const Changing&) = delete;

   private:
    bool& flag_;
  };

  template <typename F>
  auto alone(F&& work) const {
    const nb::gil_scoped_release release;
    const Inside inside;
    const std::scoped_lock lock(mutex_);
    return work();
  }

  template <typename F>
  void change(F&& work) {
    alone([&] {
      const Changing changing(is_changing_);
      work();
      snapshot_.reset();
      is_given_ = false;
    });
  }

  OnlinePca<T> pca_;
  std::shared_ptr<Model<T>> snapshot_;
  bool is_given_ = false;  // whether the snapshot is a model that the estimator was made of
  bool is_changing_ = false;
  mutable std::recursive_mutex mutex_;  // a signal handler may read
};

}  // namespace roipca::python
