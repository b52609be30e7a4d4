#include <memory>
#include <stdexcept>

#include "arguments.hpp"
#include "feature_names.hpp"
#include "model_input.hpp"
#include "roipca/limits.hpp"

namespace roipca::cli {
namespace {

struct ScoreSettings : MapSettings {
  std::string confidence;
  std::string t2_limit = "auto";
  std::string spe_limit = "auto";
  std::string contributions;  // "t2", "spe" or empty
};

template <typename T>
const Rows<T>& dense(const Rows<T>& rows) {
  return rows;
}

template <typename T>
OwnedRows<T> dense(const SparseRows<T>& rows) {
  OwnedRows<T> result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) result(i, rows.column(e)) += rows.value(e);
  }
  return result;
}

template <typename T>
void score(const Model<T>& model, const ScoreSettings& settings) {
  RowSource<T> source(settings.input_for(model.features(), takes_gaps(model)));
  require_features(source, model);
  std::vector<std::string> names = {"t2", "spe"};
  const bool has_limits = !settings.confidence.empty();
  double t2_most = 0.0;
  double spe_most = 0.0;
  if (has_limits) {
    const double confidence = to_confidence(settings.confidence);
    try {
      t2_most =
          t2_limit(model, confidence, as_usage([&] { return limit_rule_from_name(settings.t2_limit); }));
      spe_most =
          spe_limit(model, confidence, as_usage([&] { return limit_rule_from_name(settings.spe_limit); }));
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    } catch (const std::logic_error& error) {
      throw FileError(settings.model + ": " + error.what());
    }
    names.insert(names.end(), {"t2_limit", "spe_limit", "beyond"});
  }
  const auto before = static_cast<Index>(names.size());
  const bool has_parts = !settings.contributions.empty();
  if (has_parts) {
    const std::vector<std::string>& known =
        model.feature_names.empty() ? source.names() : model.feature_names;
    for (const std::string& name : column_names(known, static_cast<std::size_t>(model.features()))) {
      names.push_back(settings.contributions + " " + name);
    }
  }
  const auto writer = open_output<double>(settings, source, names);
  map_rows<T, double>(settings, source, *writer, [&](const auto& rows) {
    const std::vector<double> t2 = model.t2(rows);
    const std::vector<double> spe = model.spe(rows);
    OwnedRows<double> scores(rows.rows(), static_cast<Index>(names.size()));
    for (Index i = 0; i < rows.rows(); ++i) {
      scores(i, 0) = t2[static_cast<std::size_t>(i)];
      scores(i, 1) = spe[static_cast<std::size_t>(i)];
      if (!has_limits) continue;
      scores(i, 2) = t2_most;
      scores(i, 3) = spe_most;
      scores(i, 4) = scores(i, 0) > t2_most || scores(i, 1) > spe_most ? 1.0 : 0.0;
    }
    if (!has_parts) return scores;
    const OwnedRows<T> parts = settings.contributions == "t2" ? t2_contributions<T>(model, dense<T>(rows))
                                                              : spe_contributions<T>(model, dense<T>(rows));
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < parts.cols(); ++j) scores(i, before + j) = static_cast<double>(parts(i, j));
    }
    return scores;
  });
}

}  // namespace

Command add_score(CLI::App& program) {
  auto settings = std::make_shared<ScoreSettings>();
  Arguments arguments(program, "score",
                      "Compute how unusual each row is: T^2 within the components, SPE outside of them",
                      "roipca score model.safetensors today.csv --confidence 0.99");
  add_map_options(arguments, *settings, "Write t2 and spe of each row");
  arguments.add(
      "--confidence", settings->confidence,
      "Also write the limits of this confidence, such as 0.99, and whether a row is beyond one of them");
  arguments.add("--t2-limit", settings->t2_limit, "Limit of T^2: auto, prequential, f or chi2");
  arguments.add("--spe-limit", settings->spe_limit,
                "Limit of SPE: auto, prequential, box or jackson-mudholkar");
  arguments.add("--contributions", settings->contributions,
                "Also write how much each feature contributes to t2 or to spe, in columns named after it",
                {.choices = {"t2", "spe"}});
  return arguments.command(
      [settings] { std::visit([&](const auto& model) { score(model, *settings); }, begin_map(*settings)); });
}

}  // namespace roipca::cli
