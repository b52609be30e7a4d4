#include "roipca/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "basis/orthonormal.hpp"
#include "basis/split.hpp"
#include "engine/paced_check.hpp"
#include "engine/reported_spectrum.hpp"
#include "engine/standardized.hpp"
#include "intake/given_sparse_rows.hpp"
#include "intake/row_check.hpp"
#include "intake/units.hpp"
#include "monitor/score_moments.hpp"
#include "options/resolved.hpp"
#include "passes/dense_products.hpp"
#include "passes/gap_products.hpp"
#include "passes/nystroem.hpp"
#include "passes/row_identity.hpp"
#include "passes/sparse_products.hpp"
#include "state/archive.hpp"

namespace roipca {
namespace {

constexpr Index kShortCall = 1 << 17;       // numbers of a call that is too short to interrupt
constexpr Index kRowsBetweenChecks = 1024;  // for an interrupt

template <typename T>
const Model<T>& refinable(const Model<T>& model) {
  check(model);
  if (model.options.forgetting != 1.0) {
    throw std::invalid_argument(
        "a model with forgetting cannot be refined: another pass does not know the age of a row");
  }
  if (model.options.window) {
    throw std::invalid_argument(
        "a model with a window cannot be refined: another pass does not know which rows it covers");
  }
  return model;
}

// Scales that differ by less are already those of all rows.
constexpr double kSameScale = 1e-9;

// If a scale differs by more than this factor from that of all rows, scores that were computed with it say
// nothing about later rows.
constexpr double kMostOffForScores = 1.25;

// Returns the model with the scales of all rows, which are known at the end of the first pass.
template <typename T>
Model<T> with_scales_of_all_rows(Model<T> model) {
  const std::vector<double> ratio = model.scale_ratio();
  const bool is_right =
      std::all_of(ratio.begin(), ratio.end(), [](double r) { return std::abs(r - 1.0) <= kSameScale; });
  if (is_right) return model;
  const auto is_far = [](double r) { return r > kMostOffForScores || r < 1.0 / kMostOffForScores; };
  if (std::any_of(ratio.begin(), ratio.end(), is_far)) model.prequential = {};
  return standardized(std::move(model));
}

// Returns the number of components whose residuals exceed rounding: products with rows have an error of
// epsilon times the largest eigenvalue. The others stay as they are, and so do all of an exact model, for
// which a pass only checks the rows, unless missing values can be filled better.
template <typename T>
Index count_refinable(const Model<T>& model) {
  if (model.resolved.method == Method::kExact && model.options.missing == Missing::kError) return 0;
  const auto values = as_eigen(model.eigenvalues);
  return (values.array() > kNoise<T> * values[0]).count();
}

// A power of two that makes the trace of the scatter about 1.
double unit_of(double trace) {
  return trace > 0.0 ? std::ldexp(1.0, std::clamp(-std::ilogb(trace) / 2, -500, 500)) : 1.0;
}

}  // namespace

template <typename T>
class Refinement<T>::Impl {
 public:
  explicit Impl(const Model<T>& model) : Impl(Parts(refinable(model))) {}

  const Model<T>& model() const { return given_ ? *given_ : model_; }
  std::int64_t rows() const { return identity_.rows(); }

  void add(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_shape<T>(rows, weights, model_.features());
    check_values<T>(rows, weights, gaps_.has_value());
    const GivenRows<T> given{rows, weights, true};
    if (units_) check_in_units(given);
    all_or_nothing(rows.size(), check_interrupt, rows.rows(),
                   [&](Impl& impl, Index from, Index to) { impl.add_dense(given, from, to); });
  }

  void add(const SparseRows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_sparse(rows, weights, model_.features());
    const GivenSparseRows<T> given{rows, weights};
    if (gaps_ || units_) return add_expanded(given, check_interrupt);
    if (!sparse_) sparse_.emplace(model_, rank_, unit_);
    all_or_nothing(rows.entries(), check_interrupt, rows.rows(), [&](Impl& impl, Index from, Index to) {
      for (Index i = from; i < to; ++i) {
        if (given.weight(i) > 0.0) impl.sparse_->add(rows, i, given.weight(i), impl.identity_);
      }
    });
  }

  void merge(const Impl& other) {
    require_same_model(as_eigen(other.model_.eigenvalues));
    dense().add(other.sum_of_rows());
    if (gaps_) gaps_->add(*other.gaps_);
    RowIdentity theirs = other.identity_;
    if (other.sparse_) other.sparse_->report(theirs);
    identity_.merge(theirs);
  }

  Model<T> finish() const {
    if (!units_) return finish_in_units();
    // Missing values that are filled differently have different variances.
    return with_scales_of_all_rows(from_units(finish_in_units(), *units_));
  }

  void visit_state(state::Archive& archive) {
    Vector<double> eigenvalues = as_eigen(model_.eigenvalues);
    archive(eigenvalues);
    require_same_model(eigenvalues);
    archive(identity_);
    bool has_dense = dense_.has_value();
    archive(has_dense);
    if (has_dense) archive(dense());
    if (gaps_) archive(*gaps_);
    bool has_sparse = sparse_.has_value();
    archive(has_sparse);
    if (has_sparse && !sparse_) sparse_.emplace(model_, rank_, unit_);
    if (has_sparse) archive(*sparse_);
  }

 private:
  // The given model and, if it is standardized, the model of rows that are divided by the scales of all rows
  // before they are added.
  struct Parts {
    explicit Parts(const Model<T>& model) {
      if (model.scale.empty()) {
        refined = model;
        return;
      }
      given = model;
      const Model<T> scaled = with_scales_of_all_rows(model);
      units = units_of(scaled);
      refined = to_units(scaled, *units);
    }

    std::optional<Model<T>> given;
    std::optional<Units> units;
    Model<T> refined;
  };

  explicit Impl(Parts parts)
      : given_(std::move(parts.given)),
        units_(std::move(parts.units)),
        model_(std::move(parts.refined)),
        unit_(unit_of(model_.scatter_trace)),
        rank_(count_refinable(model_)),
        identity_(model_.features()) {
    if (model_.options.missing == Missing::kImpute) gaps_.emplace(model_, rank_, unit_);
  }

  // Throws DataError for a row that is too large in the units; the first one has number `first`.
  void check_in_units(const GivenRows<T>& given, Index first = 0) const {
    std::vector<T> in_units(static_cast<std::size_t>(model_.features()));
    for (Index i = 0; i < given.count(); ++i) {
      to_units(*units_, given.rows.row(i).data(), first + i, given.weight(i), in_units.data());
    }
  }

  void add_dense(const GivenRows<T>& given, Index from, Index to) {
    if (!units_) return add_in_units(given, from, to);
    constexpr Index kAtOnce = 32;
    OwnedRows<T> in_units(kAtOnce, model_.features());
    for (Index i = from; i < to; i += kAtOnce) {
      const Index count = std::min(kAtOnce, to - i);
      for (Index j = 0; j < count; ++j) {
        to_units(*units_, given.rows.row(i + j).data(), i + j, given.weight(i + j), in_units.row(j).data());
      }
      const Rows<T> rows(in_units.data(), count, model_.features());
      const Weights weights = given.weights.empty() ? given.weights : given.weights.slice(i, count);
      add_in_units(GivenRows<T>{rows, weights, true}, 0, count);
    }
  }

  void add_in_units(const GivenRows<T>& given, Index from, Index to) {
    if (gaps_) return add_filled(given, from, to);
    while (from < to) {
      Index end = from;
      while (end < to && given.weight(end) > 0.0) ++end;
      if (end > from) dense().add(model_, given, from, end, identity_);
      from = end + 1;  // after a row of weight 0
    }
  }

  Model<T> finish_in_units() const {
    RowIdentity identity = identity_;
    if (sparse_) sparse_->report(identity);
    identity.require_rows_of(model_, unit_);
    Model<T> result = model_;
    if (gaps_) {
      require_same_gaps();
      result.scatter = to_vector(gaps_->scatter() / unit_ / unit_);
      result.scatter_trace = as_eigen(result.scatter).sum();
    }
    result.axes.clear();  // they belong to the components before
    ++result.passes;
    result.turns.assign(result.eigenvalues.size(), 0.0);
    if (rank_ == 0) return result;

    const double trace = result.scatter_trace * unit_ * unit_;
    RefinedPairs pairs =
        refine({as_columns(model_.basis).leftCols(rank_).template cast<double>(), sum(), trace},
               static_cast<Index>(model_.passes), model_.n_components, kNoise<T>);
    Spectrum<T> spectrum = with_others(pairs, trace);
    pairs.basis = {};
    const Vector<double> mean_squares = unit_ * unit_ * as_eigen(result.scatter) / model_.weight +
                                        (unit_ * as_eigen(model_.mean)).cwiseAbs2();
    make_reportable(
        spectrum, rounding_of(with_choices(model_), model_.rows, mean_squares, model_.degrees_of_freedom()));

    const Index rank = spectrum.values.size();
    const Index columns = std::max(rank, result.n_components);
    result.basis.resize(columns, model_.features());
    auto basis = as_columns(result.basis);
    basis.leftCols(rank) = spectrum.basis;
    complete<T>(basis, rank);
    result.eigenvalues.assign(static_cast<std::size_t>(columns), 0.0);
    as_eigen(result.eigenvalues).head(rank) = spectrum.values / unit_ / unit_;
    result.prequential = ScoreMoments(result.prequential, columns).value(columns);
    result.shift = pairs.shift / unit_ / unit_;
    result.turns.assign(static_cast<std::size_t>(columns), 0.0);
    as_eigen(result.turns).head(pairs.turns.size()) = pairs.turns;
    return result;
  }

  // Returns the refined pairs and the components that were not refined, orthonormal to them.
  Spectrum<T> with_others(const RefinedPairs& pairs, double trace) const {
    const auto values = as_eigen(model_.eigenvalues);
    const Index others = (values.array() > 0.0).count() - rank_;
    const Index refined = pairs.values.size();
    Spectrum<T> spectrum;
    spectrum.trace = trace;
    spectrum.values.resize(refined + others);
    spectrum.values << pairs.values, values.segment(rank_, others) * unit_ * unit_;
    spectrum.basis.resize(model_.features(), refined + others);
    spectrum.basis << pairs.basis.template cast<T>(), as_columns(model_.basis).middleCols(rank_, others);
    if (others > 0) orthonormalise<T>(spectrum.basis);
    return spectrum;
  }

  // Adds the rows of positive weight, which may have gaps.
  void add_filled(const GivenRows<T>& given, Index from, Index to) {
    for (Index i = from; i < to; ++i) {
      const double weight = given.weight(i);
      if (weight == 0.0) continue;
      const T* const filled = gaps_->fill(model_, given.rows.row(i), weight, identity_);
      if (filled == nullptr) continue;
      const Rows<T> row(filled, 1, model_.features());
      const Weights of_row(&weight, 1);
      dense().add(model_, GivenRows<T>{row, of_row, true}, 0, 1, identity_);
    }
  }

  void add_expanded(const GivenSparseRows<T>& given, const InterruptCheck& check_interrupt) {
    OwnedRows<T> row(1, model_.features());
    // Calls use(row) for the row i, expanded.
    const auto with_row = [&](Index i, auto use) {
      as_eigen(row).setZero();
      for (Index e = given.rows.start(i); e < given.rows.start(i + 1); ++e) {
        row(0, given.rows.column(e)) += given.rows.value(e);
      }
      const double weight = given.weight(i);
      const Rows<T> dense(row);
      const Weights of_row(&weight, 1);
      use(GivenRows<T>{dense, of_row, true});
    };
    for (Index i = 0; units_ && i < given.count(); ++i) {
      with_row(i, [&](const GivenRows<T>& dense) { check_in_units(dense, i); });
    }
    all_or_nothing(given.rows.entries(), check_interrupt, given.count(),
                   [&](Impl& impl, Index from, Index to) {
                     for (Index i = from; i < to; ++i) {
                       with_row(i, [&](const GivenRows<T>& dense) { impl.add_dense(dense, 0, 1); });
                     }
                   });
  }

  void require_same_gaps() const {
    for (Index j = 0; j < model_.features(); ++j) {
      const auto place = static_cast<std::size_t>(j);
      const double in_model = model_.feature_weight.empty() ? model_.weight : model_.feature_weight[place];
      const double found = model_.weight - gaps_->gap_weight()[j];
      if (std::abs(found - in_model) <= 1e-8 * model_.weight) continue;
      throw std::invalid_argument("not the rows of the model: other values of feature " + std::to_string(j) +
                                  " are missing");
    }
  }

  // The products of dense rows, which take memory from the first dense row on.
  DenseProducts<T>& dense() {
    if (!dense_) dense_.emplace(model_, rank_, unit_);
    return *dense_;
  }

  Matrix<double> sum_of_rows() const {
    if (!dense_ && !sparse_) return Matrix<double>::Zero(model_.features(), rank_);
    Matrix<double> sum = dense_ ? dense_->sum() : sparse_->sum();
    if (dense_ && sparse_) sum += sparse_->sum();
    return sum;
  }
  Matrix<double> sum() const {
    Matrix<double> sum = sum_of_rows();
    if (gaps_) sum += gaps_->sum();
    return sum;
  }

  template <typename Values>
  void require_same_model(const Values& eigenvalues) const {
    const auto ours = as_eigen(model_.eigenvalues);
    if (ours.size() == eigenvalues.size() && ours == eigenvalues) return;
    throw std::invalid_argument("refinements of different models cannot be combined");
  }

  // Calls add_rows(impl, from, to) for all rows: on a copy for a long call, so that the call can be
  // abandoned.
  template <typename AddRows>
  void all_or_nothing(Index numbers, const InterruptCheck& check_interrupt, Index rows, AddRows add_rows) {
    if (!check_interrupt || numbers <= std::max(kShortCall, rank_ * model_.features())) {
      return add_rows(*this, 0, rows);
    }
    PacedCheck interrupt(check_interrupt);
    Impl next(*this);
    for (Index from = 0; from < rows; from += kRowsBetweenChecks) {
      interrupt.between_blocks();
      add_rows(next, from, std::min(rows, from + kRowsBetweenChecks));
    }
    interrupt.at_end();
    *this = std::move(next);
  }

  std::optional<Model<T>> given_;  // the model as it was given, if it differs from model_
  std::optional<Units> units_;     // the units that rows are converted to, if standardized
  Model<T> model_;                 // of rows in these units
  double unit_;
  Index rank_;  // number of components to refine
  RowIdentity identity_;
  std::optional<DenseProducts<T>> dense_;
  std::optional<SparseProducts<T>> sparse_;
  std::optional<GapProducts<T>> gaps_;  // if values may be missing
};

template <typename T>
Refinement<T>::Refinement(const Model<T>& model) : impl_(std::make_unique<Impl>(model)) {}

template <typename T>
Refinement<T>::Refinement(const Refinement& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}

template <typename T>
Refinement<T>::Refinement(Refinement&& other) noexcept = default;

template <typename T>
Refinement<T>& Refinement<T>::operator=(Refinement other) noexcept {
  impl_ = std::move(other.impl_);
  return *this;
}

template <typename T>
Refinement<T>::~Refinement() = default;

template <typename T>
Refinement<T>& Refinement<T>::add(const Rows<T>& rows, const Weights& weights,
                                  const InterruptCheck& check_interrupt) {
  impl_->add(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
Refinement<T>& Refinement<T>::add(const SparseRows<T>& rows, const Weights& weights,
                                  const InterruptCheck& check_interrupt) {
  impl_->add(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
Refinement<T>& Refinement<T>::merge(const Refinement& other) {
  impl_->merge(*other.impl_);
  return *this;
}

template <typename T>
std::int64_t Refinement<T>::rows() const {
  return impl_->rows();
}

template <typename T>
const Model<T>& Refinement<T>::model() const {
  return impl_->model();
}

template <typename T>
Model<T> Refinement<T>::finish() const {
  return impl_->finish();
}

template <typename T>
std::vector<std::byte> Refinement<T>::state() const {
  return state::pack([&](state::Archive& archive) { impl_->visit_state(archive); });
}

template <typename T>
Refinement<T> Refinement<T>::from_state(const Model<T>& model, std::span<const std::byte> bytes) {
  Refinement refinement(model);
  state::unpack(bytes, [&](state::Archive& archive) { refinement.impl_->visit_state(archive); });
  return refinement;
}

template class Refinement<float>;
template class Refinement<double>;

}  // namespace roipca
