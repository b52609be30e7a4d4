/// A model as part of the state of an estimator.
#pragma once

#include <string>
#include <type_traits>

#include "model/fields.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Transfers all fields of a model of rows of `features` numbers, except for its options, which it must
/// already have, and its texts.
template <typename T>
void visit_model(state::Archive& archive, Model<T>& model, Index features) {
  visit_values(
      [&](const ValueField& /*field*/, auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
          archive(value);
        } else if constexpr (requires { requires std::is_arithmetic_v<typename Value::value_type>; } &&
                             !std::is_same_v<Value, std::string>) {
          auto size = static_cast<Index>(value.size());
          archive.count(size, features);
          value.resize(static_cast<std::size_t>(size));
          archive(as_eigen(value));
        }
      },
      model);
  Index held = model.basis.rows();
  archive.count(held, features);
  visit_arrays(
      [&](const ArrayField& field, auto& array) {
        if constexpr (requires { array.cols(); }) {
          array.resize(held, features);
        } else {
          Index size = field.extent == Extent::kFeatures ? features : held;
          if (field.is_optional) {
            size = static_cast<Index>(array.size());
            const bool by_probes = field.extent == Extent::kProbesByFeatures;
            archive.count(size, by_probes ? model.options.probes * features : features);
          }
          array.resize(static_cast<std::size_t>(size));
        }
        archive(as_eigen(array));
      },
      model);
}

}  // namespace roipca
