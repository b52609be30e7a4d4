/// The models that were read from an estimator.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "estimator/cached.hpp"
#include "roipca/alignment.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Keeps the model that was read last until rows are added and, if components are to stay close to those of
/// the previous reading (Options::align), the components that it showed.
template <typename T>
class Readings {
 public:
  explicit Readings(Align align = Align::kNone) : align_(align) {}
  /// Resumes after a model that was already shown.
  Readings(Align align, const Model<T>& seen) : align_(align) {
    if (align_ != Align::kNone) previous_ = shown_by(seen);
  }

  /// Returns the model that `read` returns, aligned, or the same object as before if no rows were added.
  template <typename Read>
  std::shared_ptr<const Model<T>> get(Read read) const {
    return model_.get([&] {
      Model<T> model = read();
      if (previous_) return aligned<T>(std::move(model), *previous_, align_);
      return model;  // not by the conditional operator, which would copy it
    });
  }

  /// Returns a model with the reported components and perhaps no others: the one that it returned before, or
  /// else the one that `get` returned, or else that of `read_reported` if it returns one and nothing is
  /// aligned, or else that of `read`. A model of `read_reported` with other components is that of `read`, and
  /// `get` returns it from then on.
  template <typename Read, typename ReadReported>
  std::shared_ptr<const Model<T>> get_reported(Read read, ReadReported read_reported) const {
    if (auto known = reported_.peek()) return known;
    if (auto known = model_.peek()) return known;
    if (align_ != Align::kNone) return get(read);
    std::optional<Model<T>> model = read_reported();
    if (!model) return get(read);
    const auto& kept = model->basis.rows() > model->n_components ? model_ : reported_;
    return kept.get([&] { return std::move(*model); });
  }

  /// Call it before rows are added.
  void end() {
    if (align_ != Align::kNone) previous_ = last_shown();
    model_.reset();
    reported_.reset();
  }

  void visit_state(state::Archive& archive, Align align, Index features) {
    align_ = align;
    if (align_ == Align::kNone) return;
    const Components shown = last_shown();
    OwnedRows<T> components = shown ? *shown : OwnedRows<T>();
    Index count = components.rows();
    archive.count(count, features);
    components.resize(count, features);
    archive(as_eigen(components));
    if (!shown && count > 0) previous_ = std::make_shared<const OwnedRows<T>>(std::move(components));
  }

 private:
  using Components = std::shared_ptr<const OwnedRows<T>>;

  static Components shown_by(const Model<T>& model) {
    return std::make_shared<const OwnedRows<T>>(model.components());
  }
  // The components as they were last shown; null if they never were.
  Components last_shown() const {
    const auto model = model_.peek();
    return model ? shown_by(*model) : previous_;
  }

  Align align_;
  Cached<Model<T>> model_;
  Cached<Model<T>> reported_;
  Components previous_;  // as last shown before the latest rows
};

}  // namespace roipca
