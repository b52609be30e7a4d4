#include "options.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace roipca::python {
namespace {

namespace nb = nanobind;

// One entry of the dictionary, with the name for the error.
class Parameter {
 public:
  Parameter(const nb::dict& parameters, const char* name) : name_(name) {
    if (parameters.contains(name)) value_ = parameters[name];
  }

  explicit operator bool() const { return value_.is_valid(); }

  bool is(const char* word) const {
    std::string text;
    return nb::try_cast<std::string>(value_, text) && text == word;
  }

  // The value where it is a T and not a bool, which Python takes for a number.
  template <typename T>
  T as(const char* expected) const {
    T value{};
    if (nb::isinstance<nb::bool_>(value_) != std::is_same_v<T, bool> || !nb::try_cast<T>(value_, value)) {
      refuse(expected);
    }
    return value;
  }

  [[noreturn]] void refuse(const char* expected) const {
    throw std::invalid_argument(std::string(name_) + " must be " + expected + ", not " +
                                nb::repr(value_).c_str());
  }

 private:
  const char* name_;
  nb::object value_;
};

std::optional<Index> count_or_auto(const Parameter& parameter) {
  if (parameter.is("auto")) return std::nullopt;
  return parameter.as<Index>("\"auto\" or an int");
}

Mu mu_from(const Parameter& parameter) {
  if (parameter.is("mean")) return Mu::mean();
  if (parameter.is("zero")) return Mu::zero();
  return Mu::fixed(parameter.as<double>("\"mean\", \"zero\" or a number"));
}

Tau tau_from(const Parameter& parameter) {
  if (parameter.is("zero")) return Tau::kZero;
  if (parameter.is("optimal")) return Tau::kOptimal;
  parameter.refuse("\"zero\" or \"optimal\"");
}

UpdateEvery update_every_from(const Parameter& parameter) {
  if (parameter.is("block")) return UpdateEvery::kBlock;
  if (parameter.is("row")) return UpdateEvery::kRow;
  parameter.refuse("\"block\" or \"row\"");
}

LearningRate learning_rate_from(const Parameter& parameter) {
  if (parameter.is("auto")) return LearningRate::tuned();
  return LearningRate::fixed(parameter.as<double>("None, \"auto\" or a number"));
}

nb::object word_or(std::optional<Index> count) { return count ? nb::cast(*count) : nb::cast("auto"); }

nb::object mu_of(const Mu& mu) {
  if (mu.kind == Mu::Kind::kFixed) return nb::cast(mu.variance);
  return nb::cast(mu.kind == Mu::Kind::kZero ? "zero" : "mean");
}

nb::object learning_rate_of(const LearningRate& rate) {
  if (rate.kind == LearningRate::Kind::kFixed) return nb::cast(rate.c);
  return rate.kind == LearningRate::Kind::kTuned ? nb::cast("auto") : nb::none();
}

}  // namespace

Options options_from(const nb::dict& parameters) {
  Options options;
  if (const Parameter p{parameters, "n_components"}) options.n_components = p.as<Index>("an int");
  if (const Parameter p{parameters, "method"}) {
    options.method = method_from_name(p.as<std::string>("a string"));
  }
  if (const Parameter p{parameters, "mu"}) options.mu = mu_from(p);
  if (const Parameter p{parameters, "tau"}) options.tau = tau_from(p);
  if (const Parameter p{parameters, "oversampling"}) options.oversampling = count_or_auto(p);
  if (const Parameter p{parameters, "update_every"}) options.update_every = update_every_from(p);
  if (const Parameter p{parameters, "block_size"}) options.block_size = count_or_auto(p);
  if (const Parameter p{parameters, "center"}) options.center = p.as<bool>("True or False");
  if (const Parameter p{parameters, "forgetting"}) options.forgetting = p.as<double>("a number");
  if (const Parameter p{parameters, "learning_rate"}) options.learning_rate = learning_rate_from(p);
  if (const Parameter p{parameters, "n_jobs"}) options.threads = p.as<Index>("an int");
  check(options);
  return options;
}

nb::dict parameters_of(const Options& options) {
  nb::dict parameters;
  parameters["n_components"] = options.n_components;
  parameters["method"] = std::string(name(options.method));
  parameters["mu"] = mu_of(options.mu);
  parameters["tau"] = options.tau == Tau::kZero ? "zero" : "optimal";
  parameters["oversampling"] = word_or(options.oversampling);
  parameters["update_every"] = options.update_every == UpdateEvery::kBlock ? "block" : "row";
  parameters["block_size"] = word_or(options.block_size);
  parameters["center"] = options.center;
  parameters["forgetting"] = options.forgetting;
  parameters["learning_rate"] = learning_rate_of(options.learning_rate);
  parameters["n_jobs"] = options.threads;
  return parameters;
}

}  // namespace roipca::python
