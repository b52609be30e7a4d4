/// A small model with numbers that are easily lost on the way to disk, and its bytes in memory.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "io/memory_source.hpp"
#include "io/model_codec.hpp"
#include "support/same_bits.hpp"

namespace roipca::io {

template <typename T>
Model<T> example_model() {
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  constexpr T kTinyT = std::numeric_limits<T>::denorm_min();
  Model<T> model;
  model.options.n_components = 2;
  model.options.method = Method::kFroipca;
  model.resolved.method = Method::kFroipca;
  model.options.mu = Mu::fixed(0.1);
  model.options.tau = Tau::kOptimal;
  model.options.oversampling = 1;
  model.options.forgetting = 0.99;
  model.n_components = 2;
  model.rows = 7;
  model.weight = 6.1;
  model.weight_pairs = std::nextafter(5.3, 6.0);
  model.scatter_trace = 7.5;
  model.mean = {-0.0, kTiny, 1.0 / 3.0, std::numeric_limits<double>::max()};
  model.mean_tail = {0.0, -0.0, 1e-17, -kTiny};
  model.scatter = {3.0, 2.5, 2.0, kTiny};
  model.eigenvalues = {3.0, 2.5, kTiny};
  model.basis.resize(3, 4);
  for (Index i = 0; i < 3; ++i) model.basis(i, i) = T(1);
  model.basis(0, 1) = T(-0.0);
  model.basis(1, 2) = kTinyT;
  model.basis(2, 3) = -kTinyT;
  return model;
}

template <typename T>
std::string file_bytes(const Model<T>& model) {
  const EncodedModel encoded = encode(model);
  std::string bytes = encoded.head;
  for (const auto array : encoded.arrays)
    bytes.append(reinterpret_cast<const char*>(array.data()), array.size());
  return bytes;
}

template <typename T>
Model<T> decode_bytes(const std::string& bytes) {
  MemorySource source(std::as_bytes(std::span(bytes)));
  return decode<T>(source);
}

/// Returns the message of the FileError that decoding throws; empty if it throws none.
template <typename T>
std::string refusal(const std::string& bytes) {
  try {
    decode_bytes<T>(bytes);
    return {};
  } catch (const FileError& error) {
    return error.what();
  }
}

template <typename T>
bool same_bits(const Model<T>& a, const Model<T>& b) {
  return support::first_difference(a, b).empty();
}

}  // namespace roipca::io
