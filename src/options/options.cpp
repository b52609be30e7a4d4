#include "roipca/options.hpp"

#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace roipca {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 9> kMethods = {{{Method::kAuto, "auto"},
                                                                          {Method::kRoipca, "roipca"},
                                                                          {Method::kFroipca, "froipca"},
                                                                          {Method::kIpca, "ipca"},
                                                                          {Method::kCcipca, "ccipca"},
                                                                          {Method::kGha, "gha"},
                                                                          {Method::kOja, "oja"},
                                                                          {Method::kFrequentDirections, "fd"},
                                                                          {Method::kExact, "exact"}}};

void require(bool holds, const char* option, const char* rule, double value) {
  if (!holds) {
    std::ostringstream text;
    text << option << " must be " << rule << ", not " << value;
    throw std::invalid_argument(text.str());
  }
}

}  // namespace

std::string_view name(Method method) {
  for (const auto& [value, text] : kMethods) {
    if (value == method) return text;
  }
  throw std::invalid_argument("method: no such enumerator");
}

Method method_from_name(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : kMethods) {
    if (text == name) return value;
    known += known.empty() ? "" : ", ";
    known += text;
  }
  throw std::invalid_argument("method must be one of " + known + ", not \"" + std::string(name) + "\"");
}

void check(const Options& options) {
  name(options.method);
  require(options.n_components >= 0, "n_components", "0 or more", static_cast<double>(options.n_components));
  if (options.oversampling) {
    require(*options.oversampling >= 0, "oversampling", "0 or more",
            static_cast<double>(*options.oversampling));
  }
  if (options.block_size) {
    // Products of the rows of a block with each other are kept.
    require(*options.block_size >= 1 && *options.block_size <= 4096, "block_size", "from 1 to 4096",
            static_cast<double>(*options.block_size));
  }
  require(options.forgetting > 0.0 && options.forgetting <= 1.0, "forgetting", "above 0 and at most 1",
          options.forgetting);
  require(options.threads >= 1, "threads", "1 or more", static_cast<double>(options.threads));
  require(options.amnesia >= 0.0 && std::isfinite(options.amnesia), "amnesia", "0 or more", options.amnesia);
  if (options.mu.kind == Mu::Kind::kFixed) {
    require(options.mu.variance >= 0.0 && std::isfinite(options.mu.variance), "mu", "0 or more",
            options.mu.variance);
  }
  const auto& rate = options.learning_rate;
  const bool untuned = rate.kind == LearningRate::Kind::kTuned && rate.c == 0.0;
  if (rate.kind != LearningRate::Kind::kScaleFree && !untuned) {
    require(rate.c > 0.0 && std::isfinite(rate.c), "learning_rate", "above 0", rate.c);
  }
}

}  // namespace roipca
