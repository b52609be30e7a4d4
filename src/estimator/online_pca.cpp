#include "roipca/online_pca.hpp"

#include <utility>

#include "estimator/online_pca_impl.hpp"

namespace roipca {

template <typename T>
OnlinePca<T>::OnlinePca(const Options& options) : impl_(std::make_unique<Impl>(options)) {}

template <typename T>
OnlinePca<T>::OnlinePca(Resumed resumed) : impl_(std::make_unique<Impl>(*resumed.model)) {}

template <typename T>
OnlinePca<T>::OnlinePca(const OnlinePca& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}

template <typename T>
OnlinePca<T>::OnlinePca(OnlinePca&& other) noexcept = default;

template <typename T>
OnlinePca<T>& OnlinePca<T>::operator=(OnlinePca other) noexcept {
  impl_ = std::move(other.impl_);
  return *this;
}

template <typename T>
OnlinePca<T>::~OnlinePca() = default;

template <typename T>
OnlinePca<T>& OnlinePca<T>::fit(const Rows<T>& rows, const Weights& weights,
                                const InterruptCheck& check_interrupt) {
  impl_->fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::partial_fit(const Rows<T>& rows, const Weights& weights,
                                        const InterruptCheck& check_interrupt) {
  impl_->partial_fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::fit(const SparseRows<T>& rows, const Weights& weights,
                                const InterruptCheck& check_interrupt) {
  impl_->fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::partial_fit(const SparseRows<T>& rows, const Weights& weights,
                                        const InterruptCheck& check_interrupt) {
  impl_->partial_fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::update(const Row<T>& row, double weight) {
  impl_->partial_fit({row.data(), 1, row.size()}, {&weight, 1}, {});
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::merge(const OnlinePca& other, std::optional<double> decay) {
  impl_->merge(*other.impl_, decay);
  return *this;
}

template <typename T>
bool OnlinePca<T>::adds_scatters() const {
  return impl_->rows() > 0 && impl_->adds_scatters();
}

template <typename T>
Model<T> OnlinePca<T>::model() const {
  return *impl_->snapshot();
}

template <typename T>
std::shared_ptr<const Model<T>> OnlinePca<T>::snapshot() const {
  return impl_->snapshot();
}

template <typename T>
std::shared_ptr<const Model<T>> OnlinePca<T>::reported() const {
  return impl_->reported();
}

template <typename T>
const Options& OnlinePca<T>::options() const {
  return impl_->options();
}

template <typename T>
Index OnlinePca<T>::features() const {
  return impl_->features();
}

template <typename T>
std::int64_t OnlinePca<T>::rows_seen() const {
  return impl_->rows();
}

template <typename T>
std::vector<double> OnlinePca<T>::learning_rates() const {
  return impl_->learning_rates();
}

// The estimator behind the pointer is not const, but an archive that only writes changes nothing.
template <typename T>
std::vector<std::byte> OnlinePca<T>::state() const {
  return state::pack([&](state::Archive& archive) { impl_->visit_state(archive); });
}

template <typename T>
OnlinePca<T> OnlinePca<T>::from_state(std::span<const std::byte> bytes) {
  OnlinePca pca{Options()};
  state::unpack(bytes, [&](state::Archive& archive) { pca.impl_->visit_state(archive); });
  return pca;
}

template class OnlinePca<float>;
template class OnlinePca<double>;

}  // namespace roipca
