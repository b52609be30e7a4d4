#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>

#include "arguments.hpp"
#include "available_memory.hpp"
#include "json_object.hpp"
#include "memory_limit.hpp"
#include "model_input.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/subspace.hpp"

namespace roipca::cli {
namespace {

struct CompareSettings {
  std::string model;
  InputOptions input;
  bool json = false;
};

// Returns the components, orthonormal, one per row.
OwnedRows<double> subspace_of(const AnyModel& model) {
  return std::visit(
      [](const auto& m) {
        const auto components = m.components();
        OwnedRows<double> rows(components.rows(), components.cols());
        std::copy_n(components.data(), components.size(), rows.data());
        return rows;
      },
      model);
}

const Options& options_of(const AnyModel& model) {
  return std::visit([](const auto& m) -> const Options& { return m.options; }, model);
}

// Returns the options of a batch PCA that treats rows as the model does.
Options batch_options(const Options& of_model, Index components) {
  if (of_model.window) {
    throw FileError(
        "a model of the latest rows cannot be compared with a batch PCA, which covers all rows: "
        "compare it with another model");
  }
  return {.n_components = components,
          .method = Method::kExact,
          .center = of_model.center,
          .standardize = of_model.standardize,
          .forgetting = of_model.forgetting};
}

bool is_model(const std::string& path) {
  try {
    return open_stream(path)->peek(64).find("roipca-model") != std::string_view::npos;
  } catch (const FileError& error) {
    throw FileError(path + ": " + error.what());
  }
}

// Components in other units are not those of the same rows.
OwnedRows<double> subspace_of_model(const std::string& path, const std::string& compared_with,
                                    const Options& options) {
  const AnyModel model = load_model(path);
  const bool is_standardized = options_of(model).standardize;
  if (is_standardized != options.standardize) {
    throw FileError((is_standardized ? path : compared_with) + " was fitted with --standardize, and " +
                    (is_standardized ? compared_with : path) + " was not");
  }
  return subspace_of(model);
}

std::string gigabytes(double bytes) {
  std::array<char, 40> text = {};
  std::snprintf(text.data(), text.size(), bytes < 1e10 ? "%.1f GB" : "%.0f GB", bytes / 1e9);
  return text.data();
}

// Throws FileError if a batch PCA would exhaust the machine or the limits on this process. At its peak, the
// eigenproblem takes about nine matrices of all features (measured).
void require_memory_for(Index features, const CompareSettings& settings) {
  const double bytes = 9.0 * 8.0 * static_cast<double>(features) * static_cast<double>(features);
  constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const auto available = static_cast<double>(std::min(available_memory(), memory_limit().value_or(kNoLimit)));
  if (bytes <= available) return;
  throw FileError("a batch PCA of " + std::to_string(features) + " features takes about " + gigabytes(bytes) +
                  " of memory, and " + gigabytes(available) + " are available: roipca refine " +
                  settings.model + " " + settings.input.paths.front() +
                  " -o FILE tells the error without it, and so do --passes 2 and --probes 10 of roipca fit");
}

// Returns the leading `components` of a batch PCA, computed from the exact scatter: O(features^2) memory for
// any number of rows.
OwnedRows<double> batch_subspace(const CompareSettings& settings, Index features, const Options& options) {
  RowSource<double> source(settings.input.settings_for(features));
  if (source.columns() != features) {
    throw FileError(settings.input.paths.front() + ": rows of " + std::to_string(source.columns()) +
                    " numbers, but the model has " + std::to_string(features) + " features");
  }
  require_memory_for(features, settings);
  OnlinePca<double> pca(options);
  while (const PlacedRows<double>* block = source.next()) {
    check_interrupt();
    block->visit([&](const auto& rows) { pca.partial_fit(rows); });
  }
  check_interrupt();
  report_skipped(source.skipped());
  if (pca.rows_seen() == 0) throw FileError(settings.input.paths.front() + ": no rows are left");
  return pca.model().components();
}

// In descending order, from a batch PCA that subtracts no mean.
std::vector<double> singular_values(const OwnedRows<double>& matrix) {
  const Options options{
      .n_components = std::min(matrix.rows(), matrix.cols()), .oversampling = 0, .center = false};
  return batch_pca<double>(matrix, options).singular_values();
}

// In ascending order, in degrees. Small angles are computed from their sines and large ones from their
// cosines, so that all are accurate to rounding (Bjoerck and Golub 1973). `u` has no more rows than `v`.
std::vector<double> principal_angles(const OwnedRows<double>& u, const OwnedRows<double>& v) {
  OwnedRows<double> cosines(u.rows(), v.rows());
  OwnedRows<double> outside = u;  // the part of u outside the span of v
  for (Index i = 0; i < u.rows(); ++i) {
    for (Index j = 0; j < v.rows(); ++j) {
      const double cosine = std::transform_reduce(u.row(i).begin(), u.row(i).end(), v.row(j).begin(), 0.0);
      cosines(i, j) = cosine;
      for (Index l = 0; l < u.cols(); ++l) outside(i, l) -= cosine * v(j, l);
    }
  }
  const std::vector<double> by_cosine = singular_values(cosines);
  const std::vector<double> by_sine = singular_values(outside);
  std::vector<double> angles;
  for (std::size_t i = 0; i < by_cosine.size(); ++i) {
    const double cosine = std::min(1.0, by_cosine[i]);
    const double sine = std::min(1.0, by_sine[by_sine.size() - 1 - i]);
    angles.push_back((cosine * cosine > 0.5 ? std::asin(sine) : std::acos(cosine)) * 180.0 /
                     std::numbers::pi);
  }
  return angles;
}

void print(const CompareSettings& settings, double error, const std::vector<double>& angles) {
  if (settings.json) {
    JsonObject json;
    json.add("subspace_error", error);
    json.add("principal_angles_degrees", angles);
    json.print(stdout, JsonObject::Layout::kOneLine);
    return;
  }
  std::printf("subspace error    %.3g   (|UU' - VV'|^2 / |UU'|^2: 0 the same, 2 orthogonal)\n", error);
  std::printf("principal angles ");
  for (const double angle : angles) std::printf(" %.3g", angle);
  std::printf("   degrees\n");
}

void compare(const CompareSettings& settings) {
  const std::string& other = settings.input.paths.front();
  const bool with_model = other != "-" && is_model(other);
  if (with_model && settings.input.paths.size() > 1) {
    throw UsageError(other + " is a model: compare with it alone, without " + settings.input.paths[1]);
  }
  const AnyModel model = load_model(settings.model);
  const OwnedRows<double> u = subspace_of(model);
  const Options& options = options_of(model);
  const OwnedRows<double> v = with_model
                                  ? subspace_of_model(other, settings.model, options)
                                  : batch_subspace(settings, u.cols(), batch_options(options, u.rows()));
  if (u.cols() != v.cols()) {
    throw FileError(other + ": a model of " + std::to_string(v.cols()) + " features, but " + settings.model +
                    " has " + std::to_string(u.cols()));
  }
  print(settings, subspace_error(u, v),
        u.rows() <= v.rows() ? principal_angles(u, v) : principal_angles(v, u));
}

}  // namespace

Command add_compare(CLI::App& program) {
  auto settings = std::make_shared<CompareSettings>();
  Arguments arguments(program, "compare",
                      "Compare a model with another model, or with a batch PCA of files of rows",
                      "roipca compare model.safetensors data.npy");
  arguments.add_argument("MODEL", settings->model, "Model file, as written by roipca fit");
  arguments.add_arguments("OTHER", settings->input.paths, "Another model file, or files of rows", 0);
  arguments.add_flag("--json", settings->json, "Print JSON");
  add_format_options(arguments, settings->input);
  return arguments.command([settings] {
    watch_for_interrupts();
    settings->input.begin();
    compare(*settings);
  });
}

}  // namespace roipca::cli
