/// Kernel PCA in a form that Python threads may share, with kernels given by name or as Python functions.
#pragma once

#include <nanobind/stl/optional.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "fork_gate.hpp"
#include "roipca/kernel_pca.hpp"

namespace roipca::python {

/// The kernel as a Python object. All copies share one reference to it, so that Python's garbage collector
/// can count it, and copies of an estimator do not need the GIL.
struct KernelSpec {
  std::shared_ptr<nb::object> kernel;  // a name, or a function of two rows
  std::optional<double> gamma;
  double degree;
  double coef0;
};

/// A function receives copies of the rows, so that it may keep them.
template <typename T>
Kernel<T> kernel_of_function(std::shared_ptr<const nb::object> function) {
  return Kernel<T>::custom([function = std::move(function)](const Row<T>& x, const Row<T>& y) {
    const nb::gil_scoped_acquire acquire;
    const nb::object value = (*function)(to_numpy(std::vector<T>(x.begin(), x.end())),
                                         to_numpy(std::vector<T>(y.begin(), y.end())));
    double number = 0.0;
    if (!nb::try_cast<double>(value, number)) {
      throw std::invalid_argument(std::string("kernel must return a number, not ") + nb::repr(value).c_str());
    }
    return number;
  });
}

template <typename T>
Kernel<T> kernel_from(const KernelSpec& spec) {
  std::string name;
  if (!nb::try_cast<std::string>(*spec.kernel, name)) return kernel_of_function<T>(spec.kernel);
  if (name == "linear") return Kernel<T>::linear();
  if (name == "rbf") return Kernel<T>::rbf(spec.gamma);
  if (name == "poly") return Kernel<T>::poly(spec.gamma, spec.degree, spec.coef0);
  if (name == "sigmoid") return Kernel<T>::sigmoid(spec.gamma, spec.coef0);
  throw std::invalid_argument("there is no kernel " + name);
}

/// Kernel PCA for Python. Calls run one at a time, without the GIL, and change all or nothing.
template <typename T>
class KernelEstimator {
 public:
  KernelEstimator(KernelSpec spec, const KernelOptions& options)
      : spec_(std::move(spec)), pca_(kernel_from<T>(spec_), options) {}
  /// Restores the bytes that `state` returned.
  KernelEstimator(KernelSpec spec, std::span<const std::byte> state)
      : spec_(std::move(spec)), pca_(KernelPca<T>::from_state(kernel_from<T>(spec_), state)) {}

  const KernelSpec& spec() const { return spec_; }
  /// Drops the kernel, for the garbage collector, when the estimator can no longer be called.
  void drop_kernel() { spec_.kernel->reset(); }

  void partial_fit(const Array<T>& rows) {
    const auto x = rows_of(rows);
    alone([&] {
      pca_.partial_fit(x);
      components_.reset();
    });
  }

  /// Returns the components of all rows so far; the same object until rows are added.
  std::shared_ptr<const KernelComponents> components() {
    return alone([&] { return read(); });
  }

  OwnedRows<T> transform(const Array<T>& rows) {
    const auto x = rows_of(rows);
    return alone([&] { return pca_.transform(x, *read()); });
  }

  std::vector<std::byte> state() const {
    return alone([&] { return pca_.state(); });
  }
  std::int64_t rows_seen() const {
    return alone([&] { return pca_.rows_seen(); });
  }
  OwnedRows<T> kept_rows() const {
    return alone([&] { return pca_.kept_rows(); });
  }
  std::vector<std::int64_t> kept_numbers() const {
    return alone([&] { return pca_.kept_numbers(); });
  }
  double representation_error() const {
    return alone([&] { return pca_.representation_error(); });
  }

 private:
  std::shared_ptr<const KernelComponents> read() {
    if (!components_) components_ = std::make_shared<const KernelComponents>(pca_.components());
    return components_;
  }

  template <typename F>
  auto alone(F&& work) const {
    if (owner_ == std::this_thread::get_id()) {
      throw std::logic_error("the kernel uses the estimator that is calling it");
    }
    const nb::gil_scoped_release release;
    const Inside inside;
    const std::scoped_lock lock(mutex_);
    owner_ = std::this_thread::get_id();
    const Leaving leaving{owner_};
    return work();
  }

  struct Leaving {
    std::atomic<std::thread::id>& owner;
    ~Leaving() { owner = std::thread::id(); }
  };

  KernelSpec spec_;
  KernelPca<T> pca_;
  std::shared_ptr<const KernelComponents> components_;
  mutable std::mutex mutex_;
  mutable std::atomic<std::thread::id> owner_{};  // the thread that is inside
};

}  // namespace roipca::python
