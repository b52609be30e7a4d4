#include "monitor_binding.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "estimator.hpp"
#include "roipca/limits.hpp"
#include "roipca/monitor.hpp"

namespace roipca::python {
namespace {

Learn learn_from_name(const std::string& name) {
  if (name == "none") return Learn::kNone;
  if (name == "normal") return Learn::kNormal;
  if (name == "all") return Learn::kAll;
  throw std::invalid_argument("learn must be \"none\", \"normal\" or \"all\", not \"" + name + "\"");
}

// A monitor of an estimator that Python threads may share.
template <typename T>
class SharedMonitor {
 public:
  SharedMonitor(Estimator<T>& estimator, const MonitorOptions& options)
      : estimator_(estimator), monitor_(estimator.monitor(options)) {}

  MonitorReading watch(const Array<T>& row) { return estimator_.watch(monitor_, row); }

 private:
  Estimator<T>& estimator_;
  Monitor<T> monitor_;
};

template <typename T>
void bind_for(nb::module_& module, const char* name) {
  using M = Model<T>;
  module.def(
      "t2_limit",
      [](const M& model, double confidence, const std::string& rule) {
        return t2_limit(model, confidence, limit_rule_from_name(rule));
      },
      nb::arg("model"), nb::arg("confidence"), nb::arg("rule"));
  module.def(
      "spe_limit",
      [](const M& model, double confidence, const std::string& rule) {
        return spe_limit(model, confidence, limit_rule_from_name(rule));
      },
      nb::arg("model"), nb::arg("confidence"), nb::arg("rule"));
  const auto contributions = [](auto function) {
    return [function](const M& model, const Array<T>& rows) {
      const auto x = rows_of(rows);
      return to_numpy(without_gil([&] { return function(model, x); }));
    };
  };
  module.def("t2_contributions", contributions(&t2_contributions<T>), nb::arg("model"),
             nb::arg("rows").noconvert());
  module.def("spe_contributions", contributions(&spe_contributions<T>), nb::arg("model"),
             nb::arg("rows").noconvert());
  module.def(
      "rows_scored", [](const M& model) { return model.prequential.rows; }, nb::arg("model"),
      "Number of rows that were scored before they were learned.");

  using S = SharedMonitor<T>;
  nb::class_<S>(module, name)
      .def(
          "__init__",
          [](S* self, Estimator<T>& estimator, Index n_components, double confidence, int rows_beyond,
             int rows_considered, std::int64_t hold, std::int64_t warm_up, const std::string& learn) {
            MonitorOptions options;
            options.n_components = n_components;
            options.confidence = confidence;
            options.rows_beyond = rows_beyond;
            options.rows_considered = rows_considered;
            options.hold = hold;
            options.warm_up = warm_up;
            options.learn = learn_from_name(learn);
            new (self) S(estimator, options);
          },
          nb::arg("estimator"), nb::kw_only(), nb::arg("n_components"), nb::arg("confidence"),
          nb::arg("rows_beyond"), nb::arg("rows_considered"), nb::arg("hold"), nb::arg("warm_up"),
          nb::arg("learn"), nb::keep_alive<1, 2>())
      .def("watch", &S::watch, nb::arg("row").noconvert());
}

template <typename Values>
nb::tuple first_of(const Values& values, int count) {
  nb::list list;
  for (int i = 0; i < count; ++i) list.append(values[static_cast<std::size_t>(i)]);
  return nb::tuple(list);
}

}  // namespace

void bind_monitor(nb::module_& module) {
  using R = MonitorReading;
  nb::class_<R>(module, "MonitorReading", R"(The result of `OnlinePCA.monitor` for a row.

Examples
--------
>>> import numpy as np
>>> from roipca import OnlinePCA
>>> X = np.random.default_rng(0).standard_normal((1000, 20))
>>> pca = OnlinePCA(3).fit(X)
>>> odd = X[0].copy()
>>> odd[7] += 20
>>> reading = pca.monitor(odd, confidence=0.999)
>>> reading.alarm, reading.is_beyond, reading.is_learned
(True, True, False)
>>> reading.statistic, reading.spe > reading.spe_limit, reading.features[0]
('spe', True, 7)
)")
      .def(
          "__init__",
          [](R* r, bool is_learned) {
            new (r) R();
            r->is_learned = is_learned;
          },
          nb::kw_only(), nb::arg("is_learned") = false)
      .def_ro("t2", &R::t2, "Hotelling's T^2; NaN for a row without any value.")
      .def_ro("spe", &R::spe, "Squared prediction error; NaN for a row without any value.")
      .def_ro("t2_limit", &R::t2_limit, "Limit of T^2; infinite during warm-up.")
      .def_ro("spe_limit", &R::spe_limit, "Limit of SPE; infinite during warm-up.")
      .def_ro("is_empty", &R::is_empty,
              "Whether the row has no value; such a row is not scored, and an alarm stays as it was.")
      .def_ro("is_beyond", &R::is_beyond, "Whether one of the two is above its limit.")
      .def_ro("alarm", &R::alarm, "Whether there is an alarm.")
      .def_ro("is_learned", &R::is_learned, "Whether the row was learned at once.")
      .def_ro("n_learned_late", &R::n_learned_late,
              "Number of earlier rows that waited and were learned now.")
      .def_prop_ro(
          "statistic", [](const R& r) { return std::string(r.by_spe ? "spe" : "t2"); },
          "\"t2\" or \"spe\", whichever is larger relative to its limit; `features` contribute to this one.")
      .def_prop_ro(
          "features", [](const R& r) { return first_of(r.features, r.n_features); },
          "Indices of the three features that contribute most, the largest first.")
      .def_prop_ro(
          "contributions", [](const R& r) { return first_of(r.contributions, r.n_features); },
          "Contributions of these features.")
      .def("__repr__", [](const R& r) {
        return "MonitorReading(alarm=" + std::string(r.alarm ? "True" : "False") +
               ", t2=" + std::to_string(r.t2) + ", t2_limit=" + std::to_string(r.t2_limit) +
               ", spe=" + std::to_string(r.spe) + ", spe_limit=" + std::to_string(r.spe_limit) + ")";
      });
  bind_for<float>(module, "MonitorF32");
  bind_for<double>(module, "MonitorF64");
}

}  // namespace roipca::python
