#include "monitor/score_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <utility>

#include "intake/moments.hpp"

namespace roipca {
namespace {

// Moments of one statistic for one number of components: see ScoreDistribution.
struct Entry {
  double mean;
  double spread;
  double third;
};

// Combines two sets with these fractions of the weight. Everything is relative to the common mean, so that
// nothing overflows.
Entry combine(const Entry& a, double part_a, const Entry& b, double part_b) {
  const double mean = part_a * a.mean + part_b * b.mean;
  Entry all = {mean, 0.0, 0.0};
  if (!(mean > 0.0)) return all;
  const auto add = [&](const Entry& of, double part) {
    const double size = of.mean / mean;
    const double away = size - 1.0;
    const double square = of.spread * size * size;
    all.spread += part * (square + away * away);
    all.third += part * (of.third * size * size * size + 3.0 * square * away + away * away * away);
  };
  add(a, part_a);
  add(b, part_b);
  return all;
}

auto arrays(Prequential& of) {
  return std::array{&of.t2_mean, &of.t2_spread, &of.t2_third, &of.spe_mean, &of.spe_spread, &of.spe_third};
}

bool is_finite(Prequential& moments) {
  for (auto* values : arrays(moments)) {
    if (!std::all_of(values->begin(), values->end(), [](double value) { return std::isfinite(value); }))
      return false;
  }
  return true;
}

void resize(Prequential& moments, std::size_t components) {
  for (auto* values : arrays(moments)) values->resize(components);
}

Entry t2_of(const Prequential& moments, std::size_t j) {
  return {moments.t2_mean[j], moments.t2_spread[j], moments.t2_third[j]};
}
Entry spe_of(const Prequential& moments, std::size_t j) {
  return {moments.spe_mean[j], moments.spe_spread[j], moments.spe_third[j]};
}
void set(Prequential& moments, std::size_t j, const Entry& t2, const Entry& spe) {
  moments.t2_mean[j] = t2.mean;
  moments.t2_spread[j] = t2.spread;
  moments.t2_third[j] = t2.third;
  moments.spe_mean[j] = spe.mean;
  moments.spe_spread[j] = spe.spread;
  moments.spe_third[j] = spe.third;
}

}  // namespace

Prequential combine(const Prequential& a, double weight_a, const Prequential& b, double weight_b) {
  const double scored_a = a.t2_mean.empty() ? 0.0 : a.coverage * weight_a;
  const double scored_b = b.t2_mean.empty() ? 0.0 : b.coverage * weight_b;
  if (!(scored_a + scored_b > 0.0)) return {};
  Prequential all = scored_a > 0.0 ? a : b;
  if (scored_a > 0.0 && scored_b > 0.0) {
    const double part_a = scored_a / (scored_a + scored_b);
    const double part_b = scored_b / (scored_a + scored_b);
    resize(all, std::min(a.t2_mean.size(), b.t2_mean.size()));
    for (std::size_t j = 0; j < all.t2_mean.size(); ++j) {
      set(all, j, combine(t2_of(a, j), part_a, t2_of(b, j), part_b),
          combine(spe_of(a, j), part_a, spe_of(b, j), part_b));
    }
    // The sets are too far apart for common moments.
    if (!is_finite(all)) return {};
  }
  all.rows = a.rows + b.rows;
  all.coverage = std::min((scored_a + scored_b) / (weight_a + weight_b), 1.0);
  return all;
}

Prequential merged_scores(const Prequential& a, double pairs_a, const Prequential& b, double pairs_b,
                          double all_pairs, ScoreWeights weights) {
  if (!(all_pairs > 0.0)) return {};
  Prequential all = combine(a, weights.of(pairs_a, all_pairs), b, weights.of(pairs_b, all_pairs));
  // Not by squares: the scores of many small parts must not be outweighed by those of the next few rows.
  all.coverage *= (pairs_a + pairs_b) / all_pairs;
  return all;
}

ScoreMoments::ScoreMoments(const Prequential& from, Index components)
    : components_(components), moments_(from) {
  resize(moments_, std::min(from.t2_mean.size(), static_cast<std::size_t>(components)));
}

void ScoreMoments::add(const BlockScores& scores, Index count, double share, double unit) {
  const double before = moments_.coverage * (1.0 - share);
  if (!scores.is_known || !(share > 0.0) || !has_room()) {
    moments_.coverage = before;
    return;
  }
  const double part_before = before / (before + share);
  const double part = share / (before + share);
  for (std::size_t i = 0; i < moments_.t2_mean.size(); ++i) {
    const auto j = static_cast<Index>(i);
    const Entry t2 = {scores.t2.mean[j], scores.t2.spread[j], scores.t2.third[j]};
    const Entry spe = {to_raw(scores.spe.mean[j], unit), scores.spe.spread[j], scores.spe.third[j]};
    set(moments_, i, combine(t2_of(moments_, i), part_before, t2, part),
        combine(spe_of(moments_, i), part_before, spe, part));
  }
  moments_.rows += count;
  moments_.coverage = std::min(before + share, 1.0);
  // Starts again if the scores are too far from earlier ones for common moments, for instance after huge rows
  // were forgotten.
  if (!is_finite(moments_)) moments_ = {};
}

// Makes room for the first scores, or returns false if memory ends.
bool ScoreMoments::has_room() {
  if (!moments_.t2_mean.empty()) return true;
  try {
    Prequential empty = moments_;
    resize(empty, static_cast<std::size_t>(components_));
    moments_ = std::move(empty);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Prequential ScoreMoments::value(Index components) const {
  if (moments_.t2_mean.empty()) return {};
  Prequential value = moments_;
  resize(value, std::min(value.t2_mean.size(), static_cast<std::size_t>(components)));
  return value;
}

void ScoreMoments::visit_state(state::Archive& archive) {
  archive(moments_.rows, moments_.coverage);
  auto size = static_cast<Index>(moments_.t2_mean.size());
  archive.count(size, components_);
  for (auto* values : arrays(moments_)) {
    values->resize(static_cast<std::size_t>(size));
    archive(as_eigen(*values));
  }
}

}  // namespace roipca
