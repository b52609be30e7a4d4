#include "components_asked_for.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "notes.hpp"
#include "roipca/roipca.hpp"
#include "shares.hpp"

namespace roipca::cli {

template <typename T>
double explained(const Model<T>& model) {
  const std::vector<double> ratio = model.explained_variance_ratio();
  return std::accumulate(ratio.begin(), ratio.end(), 0.0);
}

template <typename T>
Model<T> with_components_asked_for(Model<T> model, const Components& components, bool warns) {
  if (components.fraction) {
    const auto enough = components_explaining(model, *components.fraction);
    const Index reported = enough.value_or(model.basis.rows());
    model = reporting(std::move(model), reported);
    if (!enough && warns && !is_quiet()) {
      std::fprintf(stderr,
                   "roipca: the %td components held explain %s of the variance, less than %g: give -k "
                   "as a larger number\n",
                   reported, share_text(explained(model), 3).c_str(), *components.fraction);
    }
  }
  if (components.automatic) {
    const ComponentCounts counts = suggest_components(model);
    for (const std::string& caution : warns ? counts.cautions : std::vector<std::string>()) {
      note("-k auto: " + caution);
    }
    model = reporting(std::move(model), std::max<Index>(1, counts.consensus));
  }
  return model;
}

template double explained(const Model<float>&);
template double explained(const Model<double>&);
template Model<float> with_components_asked_for(Model<float>, const Components&, bool);
template Model<double> with_components_asked_for(Model<double>, const Components&, bool);

}  // namespace roipca::cli
