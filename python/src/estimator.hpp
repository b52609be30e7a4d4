/// The estimator in a form that Python threads may share.
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

/// Lets Python handle pending signals, and throws the exceptions of their handlers: Ctrl-C ends a long call.
inline void check_signals() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// An estimator for Python. Calls run one at a time, without the GIL, and change all or nothing.
template <typename T>
class Estimator {
 public:
  explicit Estimator(const nb::dict& parameters) : pca_(options_from(parameters)) {}
  /// Starts from a model. Until rows are added, `model` returns the same bits.
  explicit Estimator(const Model<T>& model)
      : pca_(model), snapshot_(std::make_shared<Model<T>>(model)), is_given_(true) {}
  explicit Estimator(OnlinePca<T> pca) : pca_(std::move(pca)) {}
  /// Restores the bytes that `state` returned.
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
    const auto x = sparse_rows(data, indices, starts, columns);
    const auto w = weights_of(weights);
    change([&] { pca_.fit(x, w, check_signals); });
  }

  /// Errors count rows from `first_row`, the position of the first of these rows in a stream.
  void partial_fit(const Array<T>& rows, const std::optional<Array<double>>& weights, Index first_row) {
    const auto x = rows_of(rows);
    const auto w = weights_of(weights);
    change([&] { numbered_from(first_row, [&] { pca_.partial_fit(x, w, check_signals); }); });
  }

  template <typename I>
  void partial_fit_csr(const Array<T>& data, const Array<I>& indices, const Array<I>& starts, Index columns,
                       const std::optional<Array<double>>& weights, Index first_row) {
    const auto x = sparse_rows(data, indices, starts, columns);
    const auto w = weights_of(weights);
    change([&] { numbered_from(first_row, [&] { pca_.partial_fit(x, w, check_signals); }); });
  }

  void update(const Array<T>& row) {
    const auto x = vector_of(row);
    change([&] { pca_.update(x); });
  }

  /// Returns a monitor of this estimator. The estimator must outlive it.
  Monitor<T> monitor(const MonitorOptions& options) { return Monitor<T>(pca_, options); }
  MonitorReading watch(Monitor<T>& monitor, const Array<T>& row) {
    const auto x = vector_of(row);
    return alone([&] {
      const Changing changing(is_changing_);
      const MonitorReading reading = monitor.watch(x);
      const bool is_counted = reading.is_empty && monitor.options().learn != Learn::kNone;
      if (reading.is_learned || reading.n_learned_late > 0 || is_counted) {
        snapshot_.reset();
        is_given_ = false;
      }
      return reading;
    });
  }

  /// Returns the model of all rows so far; the same object until rows are added.
  std::shared_ptr<Model<T>> model() {
    return alone([&] {
      if (!snapshot_) snapshot_ = std::const_pointer_cast<Model<T>>(pca_.snapshot());
      return snapshot_;
    });
  }

  /// Returns OnlinePca::reported or, if no rows were added since the estimator was made from a model, that
  /// model; the same object until rows are added.
  std::shared_ptr<Model<T>> reported() {
    return alone([&] { return is_given_ ? snapshot_ : std::const_pointer_cast<Model<T>>(pca_.reported()); });
  }

  /// Returns what is needed to resume with the same bits: the estimator's state or, if no rows were added
  /// since it was made from a model, that model. The other one is empty.
  std::pair<std::vector<std::byte>, std::vector<std::byte>> state() const {
    using Bytes = std::vector<std::byte>;
    return alone([&] {
      return is_given_ ? std::pair(Bytes(), to_bytes(*snapshot_)) : std::pair(pca_.state(), Bytes());
    });
  }

  /// Returns the whole state, also if the estimator was made from a model.
  std::vector<std::byte> whole_state() const {
    return alone([&] { return pca_.state(); });
  }

  Options options() const {
    return alone([&] { return pca_.options(); });
  }

  bool adds_scatters() const {
    return alone([&] { return pca_.adds_scatters(); });
  }
  void add_to(MergeTree<T>& tree) const {
    alone([&] { tree.add(pca_); });
  }

  Index features() const {
    return alone([&] { return pca_.features(); });
  }
  std::int64_t rows_seen() const {
    return alone([&] { return pca_.rows_seen(); });
  }

 private:
  template <typename F>
  static void numbered_from(Index first, F&& work) {
    try {
      work();
    } catch (const DataError& error) {
      throw error.after(first);
    }
  }

  /// Keeps a signal handler from changing the estimator whose call it interrupts. Reading is
  /// allowed: the estimator is as it was before the call.
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
  bool is_given_ = false;  // whether the snapshot is the model that the estimator was made from
  bool is_changing_ = false;
  mutable std::recursive_mutex mutex_;  // recursive, because a signal handler may read
};

}  // namespace roipca::python
