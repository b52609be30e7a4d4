/// The first model for filling missing values, before anything was learned.
#pragma once

#include <span>

#include "engine/dense_stream.hpp"

namespace roipca {

/// Returns a model for filling the missing values of these rows. As in the EM algorithm, each of a few passes
/// over them fills with the model of the previous pass, the first one with the means. Takes as long as
/// learning the rows eight times.
template <typename T>
FillModel first_fill_model(const Options& options, Index features, std::span<const GivenRows<T>> parts) {
  constexpr int kPasses = 8;
  FillModel model = FillModel::of_nothing(features);
  for (int pass = 0; pass < kPasses; ++pass) {
    DenseStream<T> stream(options, features);
    stream.fill_only_by(model);
    for (const GivenRows<T>& part : parts) stream.absorb(part, 0, part.count());
    model = fill_model(stream.model());
  }
  return model;
}

}  // namespace roipca
