/// The C++ library as the module roipca._core: estimators and models of both precisions, and nothing that C++
/// does not have. The Python sources build scikit-learn's interface on it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "estimator.hpp"
#include "fork_gate.hpp"
#include "kernel_binding.hpp"
#include "monitor_binding.hpp"
#include "options.hpp"
#include "preparation_binding.hpp"
#include "refinement_binding.hpp"
#include "roipca/roipca.hpp"

namespace roipca::python {
namespace {

// Returns the value of __reduce__, for pickle and copy.deepcopy: a class and its arguments.
template <typename T>
nb::tuple reduce(const nb::handle_t<Estimator<T>>& self) {
  const auto [pca, model] = nb::cast<const Estimator<T>&>(self).state();
  return nb::make_tuple(self.type(), nb::make_tuple(to_python(pca), to_python(model)));
}

template <typename T>
void bind_estimator(nb::module_& module, const char* name) {
  using E = Estimator<T>;
  nb::class_<E>(module, name)
      .def(nb::init<const nb::dict&>(), nb::arg("parameters"))
      .def(
          "__init__", [](E* self, const Model<T>& model) { without_gil([&] { new (self) E(model); }); },
          nb::arg("model"))
      .def(
          "__init__",
          [](E* self, const nb::bytes& state, const nb::bytes& model) {
            without_gil([&] { new (self) E(bytes_of(state), bytes_of(model)); });
          },
          nb::arg("state"), nb::arg("model"))
      .def("__reduce__", &reduce<T>)
      .def("fit", &E::fit, nb::arg("rows").noconvert(), nb::arg("weights").none())
      .def("partial_fit", &E::partial_fit, nb::arg("rows").noconvert(), nb::arg("weights").none(),
           nb::arg("first_row") = 0)
      .def("fit_csr", &E::template fit_csr<std::int32_t>, nb::arg("data").noconvert(),
           nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("columns"),
           nb::arg("weights").none())
      .def("fit_csr", &E::template fit_csr<std::int64_t>, nb::arg("data").noconvert(),
           nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("columns"),
           nb::arg("weights").none())
      .def("partial_fit_csr", &E::template partial_fit_csr<std::int32_t>, nb::arg("data").noconvert(),
           nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("columns"),
           nb::arg("weights").none(), nb::arg("first_row") = 0)
      .def("partial_fit_csr", &E::template partial_fit_csr<std::int64_t>, nb::arg("data").noconvert(),
           nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("columns"),
           nb::arg("weights").none(), nb::arg("first_row") = 0)
      .def("update", &E::update, nb::arg("row").noconvert())
      .def("model", &E::model)
      .def("reported", &E::reported)
      .def_prop_ro("adds_scatters", &E::adds_scatters)
      .def_prop_ro("options", [](const E& self) { return parameters_of(self.options()); })
      .def("to_bytes", [](const E& self) { return to_python(self.whole_state()); })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return without_gil(
                [&] { return std::make_unique<E>(bytes_of(bytes), std::span<const std::byte>()); });
          },
          nb::arg("bytes"))
      .def_prop_ro("features", &E::features)
      .def_prop_ro("rows_seen", &E::rows_seen);
}

// Saves a model with the names of its features and its parameters in Python's format.
template <typename T>
void save_described(const Model<T>& model, const std::filesystem::path& path,
                    const std::vector<std::string>& feature_names, const std::string& parameters) {
  without_gil([&] {
    Model<T> described = model;
    described.feature_names = feature_names;
    described.parameters = parameters;
    save(described, path);
  });
}

// Returns the arguments of Python's ComponentCounts.
nb::dict described(const ComponentCounts& counts) {
  nb::dict result;
  result["gavish_donoho"] = counts.gavish_donoho;
  result["marchenko_pastur"] = counts.marchenko_pastur;
  result["tracy_widom"] = counts.tracy_widom;
  result["minka"] = counts.minka;
  result["broken_stick"] = counts.broken_stick;
  result["consensus"] = counts.consensus;
  result["noise_variance"] = counts.noise_variance;
  result["cautions"] = counts.cautions;
  return result;
}

// Returns None for an empty vector.
template <typename Number>
nb::object if_any(std::vector<Number> numbers) {
  return numbers.empty() ? nb::none() : nb::cast(to_numpy(std::move(numbers)));
}

// Returns the components. If they are many numbers, the array cannot be written to, so that it can be a view
// of the model, which it keeps alive: a copy would need as much fresh memory as they have.
template <typename T>
nb::object components_of(const nb::handle& self) {
  constexpr Index kManyNumbers = Index{1} << 20;
  const auto& model = nb::cast<const Model<T>&>(self);
  const Index count = model.n_components;
  const auto copy = [&] {
    return nb::cast(to_numpy(without_gil([&] { return model.components(); })), nb::rv_policy::reference);
  };
  if (count * model.features() < kManyNumbers) return copy();
  if (!without_gil([&] { return model.is_stored_as_shown(); })) {
    nb::object components = copy();
    components.attr("setflags")(nb::arg("write") = false);
    return components;
  }
  const auto shape = {static_cast<std::size_t>(count), static_cast<std::size_t>(model.features())};
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<2>>(model.basis.data(), shape, self),
                  nb::rv_policy::reference);
}

template <typename T>
void bind_model(nb::module_& module, const char* name) {
  using M = Model<T>;
  using RowsFunction = std::vector<double> (M::*)(const Rows<T>&) const;
  using ScoresFunction = OwnedRows<T> (M::*)(const Rows<T>&) const;
  const auto of_rows = [](auto function) {
    return [function](const M& model, const Array<T>& rows) {
      const auto x = rows_of(rows);
      return to_numpy(without_gil([&] { return (model.*function)(x); }));
    };
  };
  const auto of_sparse = [](auto function, auto index) {
    using I = decltype(index);
    return [function](const M& model, const Array<T>& data, const Array<I>& indices, const Array<I>& starts,
                      Index columns) {
      const auto x = sparse_rows(data, indices, starts, columns);
      return to_numpy(without_gil([&] { return (model.*function)(x); }));
    };
  };
  const auto of_model = [](auto function) {
    return [function](const M& model) { return to_numpy(without_gil([&] { return (model.*function)(); })); };
  };
  const auto vector = [](auto member) {
    return [member](const M& model) { return to_numpy(std::vector<double>(model.*member)); };
  };
  constexpr auto kOwned = nb::rv_policy::reference;  // the array keeps its numbers alive itself
  nb::class_<M> model_class(module, name);
  // The same functions for CSR matrices, with indices of 32 and 64 bits.
  using SparseFunction = std::vector<double> (M::*)(const SparseRows<T>&) const;
  using SparseScores = OwnedRows<T> (M::*)(const SparseRows<T>&) const;
  const auto def_sparse = [&](const char* function_name, auto function) {
    const auto def = [&](auto index) {
      model_class.def(function_name, of_sparse(function, index), nb::arg("data").noconvert(),
                      nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("columns"));
    };
    def(std::int32_t{});
    def(std::int64_t{});
  };
  def_sparse("transform_csr", SparseScores(&M::transform));
  def_sparse("log_likelihood_csr", SparseFunction(&M::log_likelihood));
  def_sparse("t2_csr", SparseFunction(&M::t2));
  def_sparse("spe_csr", SparseFunction(&M::spe));
  model_class.def_prop_ro("options", [](const M& model) { return parameters_of(model.options); })
      .def_ro("parameters", &M::parameters)
      .def_ro("feature_names", &M::feature_names)
      .def_ro("n_components", &M::n_components)
      .def_ro("rows", &M::rows)
      .def_ro("passes", &M::passes)
      .def_prop_ro("error_estimate", [](const M& model) { return error_estimate(model); })
      .def(
          "error_bound", [](const M& model, double confidence) { return error_bound(model, confidence); },
          nb::arg("confidence"))
      .def(
          "is_worth_another_pass",
          [](const M& model, double tolerance, std::optional<double> before) {
            return is_worth_another_pass(model, tolerance, before);
          },
          nb::arg("tolerance"), nb::arg("before").none())
      .def_prop_ro("component_errors", [](const M& model) { return if_any(component_errors(model)); })
      .def_prop_ro("component_groups", [](const M& model) { return if_any(component_groups(model)); })
      .def_ro("rows_before", &M::rows_before)
      .def_prop_ro("change_score", [](const M& model) { return model.change.score; })
      .def_prop_ro("change_row", [](const M& model) { return model.change.row; })
      .def_prop_ro("changes", [](const M& model) { return model.change.count; })
      .def_prop_ro("rows_compared", [](const M& model) { return model.change.rows; })
      .def_prop_ro("features", &M::features)
      .def_prop_ro("trace", &M::trace)
      .def_prop_ro("eigenvalues", vector(&M::eigenvalues), kOwned)
      .def_prop_ro("mean", vector(&M::mean), kOwned)
      .def_ro("weight", &M::weight)
      .def_ro("empty_rows", &M::empty_rows)
      .def_prop_ro("feature_weight", vector(&M::feature_weight), kOwned)
      .def_prop_ro("scale", vector(&M::scale), kOwned)
      .def_prop_ro("scale_ratio", of_model(&M::scale_ratio), kOwned)
      .def_prop_ro("worst_scale",
                   [](const M& model) -> std::optional<std::tuple<Index, double, Index>> {
                     const auto wrong = model.worst_scale();
                     if (!wrong) return std::nullopt;
                     return std::tuple(wrong->feature, wrong->ratio, wrong->count);
                   })
      .def_prop_ro("components", &components_of<T>)
      .def_prop_ro("explained_variance", of_model(&M::explained_variance), kOwned)
      .def_prop_ro("explained_variance_ratio", of_model(&M::explained_variance_ratio), kOwned)
      .def_prop_ro("singular_values", of_model(&M::singular_values), kOwned)
      .def_prop_ro("feature_variance", of_model(&M::feature_variance), kOwned)
      .def_prop_ro("noise_variance", &M::noise_variance)
      .def(
          "components_explaining",
          [](const M& model, double fraction) { return components_explaining(model, fraction); },
          nb::arg("fraction"))
      .def("suggest_components",
           [](const M& model) { return described(without_gil([&] { return suggest_components(model); })); })
      .def(
          "rotation_to",
          [](const M& model, const M& other) {
            return to_numpy(without_gil([&] { return rotation_between(model, other); }));
          },
          nb::arg("other"))
      .def(
          "reporting",
          [](const M& model, Index n_components) {
            return without_gil([&] { return reporting(model, n_components); });
          },
          nb::arg("n_components"))
      .def("transform", of_rows(ScoresFunction(&M::transform)), nb::arg("rows").noconvert())
      .def("impute", of_rows(&M::impute), nb::arg("rows").noconvert())
      .def("inverse_transform", of_rows(ScoresFunction(&M::inverse_transform)), nb::arg("scores").noconvert())
      .def("log_likelihood", of_rows(RowsFunction(&M::log_likelihood)), nb::arg("rows").noconvert())
      .def("t2", of_rows(RowsFunction(&M::t2)), nb::arg("rows").noconvert())
      .def("spe", of_rows(RowsFunction(&M::spe)), nb::arg("rows").noconvert())
      .def("save", &save_described<T>, nb::arg("path"), nb::arg("feature_names"), nb::arg("parameters"))
      .def("to_bytes", [](const M& model) { return to_python(without_gil([&] { return to_bytes(model); })); })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) { return without_gil([&] { return from_bytes<T>(bytes_of(bytes)); }); },
          nb::arg("bytes"));
}

// Not thread-safe.
template <typename T>
void bind_merge_tree(nb::module_& module, const char* name) {
  using Tree = MergeTree<T>;
  nb::class_<Tree>(module, name)
      .def(nb::init<std::optional<double>>(), nb::arg("decay").none())
      .def(
          "add", [](Tree& tree, const Estimator<T>& estimator) { estimator.add_to(tree); },
          nb::arg("estimator"), "Adds the next estimator.")
      .def(
          "add",
          [](Tree& tree, const Model<T>* model) {
            without_gil([&] { model == nullptr ? tree.add_nothing() : tree.add(*model); });
          },
          nb::arg("model").none(), "Adds the next model; None for a part without rows.")
      .def(
          "part",
          [](const Tree& tree) -> nb::object {
            auto part = without_gil([&] { return tree.part(); });
            if (!part) return nb::none();
            if (auto* pca = std::get_if<OnlinePca<T>>(&*part)) {
              return nb::cast(std::make_unique<Estimator<T>>(std::move(*pca)));
            }
            return nb::cast(std::get<Model<T>>(std::move(*part)));
          },
          "Returns the merged rows: an estimator if scatter matrices were added, a model, or None.");
}

nb::tuple plan(const nb::dict& parameters, Index features) {
  const Options options = options_from(parameters);
  const auto [reported, held] = capacity(options, features);
  return nb::make_tuple(std::string(name(resolve(options, features))), reported, held);
}

nb::dict for_more_passes(const nb::dict& parameters, Index features) {
  return parameters_of(roipca::for_more_passes(options_from(parameters), features));
}

const char* summary_of(const DataError& error) {
  if (error.reason().starts_with("NaN")) return "Input X contains NaN.";
  if (error.reason().starts_with("weight")) return "";
  return "Input X contains infinity or a value too large.";
}

// Translates the library's own exceptions; nanobind itself turns std::invalid_argument into ValueError. The
// message for a bad number begins with scikit-learn's words and says where the number is.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const DataError& e) {
    const nb::object type = nb::module_::import_("roipca._errors").attr("DataError");
    PyErr_SetObject(type.ptr(), type(e.row(), std::string(e.reason()), summary_of(e)).ptr());
  } catch (const FileError& e) {
    PyErr_SetString(PyExc_OSError, e.what());
  }
}

}  // namespace
}  // namespace roipca::python

NB_MODULE(_core, module) {
  // Estimators that threads still use at exit are never destroyed, which is not a leak.
  nanobind::set_leak_warnings(false);
  module.def("version", [] { return std::string(roipca::version()); });
  module.def("options", &roipca::python::described_options,
             "Returns the table of options: words, numbers, default and help of each, by name.");
  module.def("accepts", &roipca::python::accepts, nanobind::arg("name"), nanobind::arg("value").none(),
             "Returns whether an option accepts a value.");
  module.def(
      "plan", &roipca::python::plan, nanobind::arg("parameters"), nanobind::arg("features"),
      "Returns the method that parameters select for this number of features, and the numbers of components "
      "reported and held.");
  module.def("for_more_passes", &roipca::python::for_more_passes, nanobind::arg("parameters"),
             nanobind::arg("features"),
             "Returns the parameters for rows of this number of features that will be read more than once.");
  module.def(
      "instruction_set", [] { return std::string(roipca::instruction_set()); },
      "Returns the instruction set in use, such as \"x86-64-v3\".\n\nIt is the best one of the machine, "
      "unless the environment variable ROIPCA_ISA names another.\n\nExamples\n--------\n"
      ">>> import roipca\n>>> roipca.instruction_set() in {\"x86-64-v4\", \"x86-64-v3\", \"x86-64-v2\", "
      "\"baseline\"}\nTrue");
  module.def(
      "before_fork", [] { roipca::python::without_gil([] { roipca::python::ForkGate::close(); }); },
      "Waits until no other thread works on an estimator, and lets none begin.");
  module.def(
      "after_fork", [] { roipca::python::ForkGate::open(); },
      "Ends the wait that before_fork began, in the parent and in the child process.");
  nanobind::register_exception_translator(roipca::python::translate);
  roipca::python::bind_model<float>(module, "ModelF32");
  roipca::python::bind_model<double>(module, "ModelF64");
  module.def(
      "load",
      [](const std::filesystem::path& path) {
        return roipca::python::without_gil([&] { return roipca::load_any(path); });
      },
      nanobind::arg("path"), "Returns the model in a file, a ModelF32 or a ModelF64.");
  roipca::python::bind_merge_tree<float>(module, "MergeTreeF32");
  roipca::python::bind_merge_tree<double>(module, "MergeTreeF64");
  roipca::python::bind_estimator<float>(module, "EstimatorF32");
  roipca::python::bind_estimator<double>(module, "EstimatorF64");
  roipca::python::bind_refinements(module);
  roipca::python::bind_monitor(module);
  roipca::python::bind_kernel_pca(module);
  roipca::python::bind_preparation(module);
}
