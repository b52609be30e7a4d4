#include "roipca/monitor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "intake/row_check.hpp"
#include "model/projector.hpp"

namespace roipca {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFewestBetweenReadings = 32;

void check(const MonitorOptions& options) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  require(options.confidence > 0.0 && options.confidence < 1.0, "confidence must be in (0, 1)");
  require(options.rows_considered >= 1 && options.rows_considered <= 64,
          "rows_considered must be in 1 to 64");
  require(options.rows_beyond >= 1 && options.rows_beyond <= options.rows_considered,
          "rows_beyond must be in 1 to rows_considered");
  require(options.n_components >= 0, "n_components must not be negative");
  require(options.hold >= 0, "hold must not be negative");
  require(options.warm_up >= 0, "warm_up must not be negative");
}

// Rules against chattering: m of the last n rows raise an alarm, and `hold` rows within the limits end it.
class Alarm {
 public:
  bool next(bool is_beyond, const MonitorOptions& options) {
    recent_ = recent_ << 1U | (is_beyond ? 1U : 0U);
    within_ = is_beyond ? 0 : within_ + 1;
    const std::uint64_t considered =
        options.rows_considered == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << options.rows_considered) - 1;
    const bool raises = std::popcount(recent_ & considered) >= options.rows_beyond;
    is_on_ = raises || (is_on_ && within_ < options.hold);
    return is_on_;
  }
  bool is_on() const { return is_on_; }

 private:
  std::uint64_t recent_ = 0;  // one bit per row, the last row lowest
  std::int64_t within_ = 0;   // number of rows since the last one beyond a limit
  bool is_on_ = false;
};

// Rows beyond a limit that wait while no alarm has begun. They belong to an alarm that begins while they are
// among the rows considered, or else they are normal.
template <typename T>
class DoubtfulRows {
 public:
  void hold(const Row<T>& x, std::int64_t number) {
    rows_.push_back({number, std::vector<T>(x.data(), x.data() + x.size())});
  }
  void drop() { rows_.clear(); }
  /// Lets `pca` learn the rows up to this number, and returns how many there were.
  int release(std::int64_t number, OnlinePca<T>& pca) {
    int count = 0;
    for (; !rows_.empty() && rows_.front().number <= number; ++count) {
      const std::vector<T> values = std::move(rows_.front().values);
      rows_.pop_front();
      pca.update(Row<T>(values.data(), static_cast<Index>(values.size())));
    }
    return count;
  }

 private:
  struct Numbered {
    std::int64_t number;
    std::vector<T> values;
  };
  std::deque<Numbered> rows_;
};

// A reading of the model by which rows are scored.
template <typename T>
struct Scoring {
  Scoring(std::shared_ptr<const Model<T>> from, const MonitorOptions& options)
      : model(options.n_components == 0 || options.n_components == from->n_components
                  ? std::move(from)
                  : std::make_shared<Model<T>>(reporting(*from, options.n_components))),
        components((as_eigen(model->eigenvalues).head(model->n_components).array() > 0.0).count()),
        projector(*model, components, 1) {
    const std::vector<double> variance = model->explained_variance();
    inverse_variance = as_eigen(variance).head(components).cwiseInverse();
    if (model->rows < options.warm_up) return;
    t2_limit = roipca::t2_limit(*model, options.confidence, options.t2_rule);
    spe_limit = roipca::spe_limit(*model, options.confidence, options.spe_rule);
  }

  std::shared_ptr<const Model<T>> model;
  Index components;
  Projector<T> projector;
  Vector<double> inverse_variance;
  double t2_limit = kNoLimit;
  double spe_limit = kNoLimit;
};

}  // namespace

template <typename T>
class Monitor<T>::Impl {
 public:
  Impl(std::shared_ptr<const Model<T>> model, OnlinePca<T>* pca, const MonitorOptions& options)
      : options_(options), pca_(pca) {
    check(options);
    if (model) scoring_ = std::make_unique<Scoring<T>>(std::move(model), options);
  }

  MonitorReading watch(const Row<T>& x) {
    if (pca_ != nullptr && pca_->rows_seen() >= read_again_at_) read_again();
    MonitorReading reading;
    const Rows<T> rows(x.data(), 1, x.size());
    if (scoring_) {
      if (x.size() != scoring_->model->features()) {
        throw std::invalid_argument("the row has " + std::to_string(x.size()) +
                                    " features, but the model has " +
                                    std::to_string(scoring_->model->features()));
      }
      check_values<T>(rows, Weights(), 0, 1, may_have_gaps());
    }
    if (may_have_gaps() && std::all_of(x.begin(), x.end(), [](T value) { return std::isnan(value); })) {
      return pass_over(x, reading);
    }
    if (scoring_) score(rows, reading);
    reading.alarm = alarm_.next(reading.is_beyond, options_);
    if (pca_ != nullptr) learn(x, reading);
    return reading;
  }

  void reread() { read_again_at_ = 0; }
  const MonitorOptions& options() const { return options_; }
  std::shared_ptr<const Model<T>> model() const { return scoring_ ? scoring_->model : nullptr; }

 private:
  bool may_have_gaps() const {
    if (pca_ != nullptr) return pca_->options().missing == Missing::kImpute;
    return scoring_ && scoring_->model->options.missing == Missing::kImpute;
  }

  void read_again() {
    const std::int64_t rows = pca_->rows_seen();
    if (rows == 0) return;
    auto scoring = std::make_unique<Scoring<T>>(pca_->snapshot(), options_);
    // Rows that wait cannot be learned after the estimator was fitted to rows of another width.
    if (scoring_ && scoring_->model->features() != scoring->model->features()) doubtful_.drop();
    scoring_ = std::move(scoring);
    const double counting = std::min(static_cast<double>(rows), scoring_->model->degrees_of_freedom() + 1.0);
    read_again_at_ = rows + std::max(kFewestBetweenReadings, static_cast<std::int64_t>(counting / 16.0));
  }

  // Reports a row without any value, which the estimator only counts.
  MonitorReading pass_over(const Row<T>& x, MonitorReading& reading) {
    reading.is_empty = true;
    reading.t2 = reading.spe = std::numeric_limits<double>::quiet_NaN();
    if (scoring_) {
      reading.t2_limit = scoring_->t2_limit;
      reading.spe_limit = scoring_->spe_limit;
    }
    reading.alarm = alarm_.is_on();
    if (pca_ != nullptr && options_.learn != Learn::kNone) pca_->update(x);
    return reading;
  }

  void learn(const Row<T>& x, MonitorReading& reading) {
    const bool is_normal = !reading.alarm && !reading.is_beyond;
    if (!scoring_ || options_.learn == Learn::kAll || (options_.learn == Learn::kNormal && is_normal)) {
      pca_->update(x);
      reading.is_learned = true;
    }
    if (options_.learn != Learn::kNormal) return;
    ++number_;
    if (reading.alarm) {
      doubtful_.drop();
    } else if (reading.is_beyond) {
      doubtful_.hold(x, number_);
    }
    reading.n_learned_late = doubtful_.release(number_ + 1 - options_.rows_considered, *pca_);
  }

  void score(const Rows<T>& row, MonitorReading& reading) {
    Projector<T>& projector = scoring_->projector;
    reading.t2_limit = scoring_->t2_limit;
    reading.spe_limit = scoring_->spe_limit;
    projector.for_each_chunk(row, [&](Index, Index) {
      scores_ = projector.scores(1).transpose();
      reading.t2 = scores_.cwiseAbs2().dot(scoring_->inverse_variance);
      centred_ = projector.centred(1).col(0).template cast<double>();
      projector.subtract_components(1);
      const auto residual = projector.centred(1).col(0);
      const bool has_gaps = as_eigen(row.row(0)).hasNaN();
      reading.spe = has_gaps ? squares_of_observed<T>(residual, row.row(0))
                             : residual.template cast<double>().squaredNorm();
      reading.is_beyond = reading.t2 > reading.t2_limit || reading.spe > reading.spe_limit;
      reading.by_spe = reading.spe * reading.t2_limit >= reading.t2 * reading.spe_limit;
      if (!std::isfinite(reading.t2_limit)) reading.by_spe = true;
      if (reading.by_spe) {
        contributions_ = residual.template cast<double>().cwiseAbs2();
        if (has_gaps) contributions_ = as_eigen(row.row(0)).array().isNaN().select(0.0, contributions_);
      } else {
        projector.replace_by_combination(
            (scores_.cwiseProduct(scoring_->inverse_variance)).transpose().template cast<T>());
        contributions_ = centred_.cwiseProduct(projector.centred(1).col(0).template cast<double>());
      }
    });
    find_largest(reading);
  }

  void find_largest(MonitorReading& reading) const {
    reading.n_features = static_cast<int>(std::min<Index>(3, contributions_.size()));
    for (Index j = 0; j < contributions_.size(); ++j) {
      Index feature = j;
      double value = contributions_[j];
      for (int place = 0; place < reading.n_features; ++place) {
        const auto i = static_cast<std::size_t>(place);
        if (place <= j && (place == j || value > reading.contributions[i])) {
          std::swap(value, reading.contributions[i]);
          std::swap(feature, reading.features[i]);
        }
      }
    }
  }

  MonitorOptions options_;
  OnlinePca<T>* pca_;
  std::unique_ptr<Scoring<T>> scoring_;
  std::int64_t read_again_at_ = 0;
  Alarm alarm_;
  std::int64_t number_ = 0;  // number of rows so far
  DoubtfulRows<T> doubtful_;
  Vector<double> scores_;
  Vector<double> centred_;
  Vector<double> contributions_;
};

template <typename T>
Monitor<T>::Monitor(std::shared_ptr<const Model<T>> model, const MonitorOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), nullptr, options)) {}

template <typename T>
Monitor<T>::Monitor(OnlinePca<T>& pca, const MonitorOptions& options)
    : impl_(std::make_unique<Impl>(nullptr, &pca, options)) {}

template <typename T>
Monitor<T>::Monitor(Monitor&& other) noexcept = default;
template <typename T>
Monitor<T>& Monitor<T>::operator=(Monitor&& other) noexcept = default;
template <typename T>
Monitor<T>::~Monitor() = default;

template <typename T>
MonitorReading Monitor<T>::watch(const Row<T>& x) {
  return impl_->watch(x);
}
template <typename T>
void Monitor<T>::reread() {
  impl_->reread();
}
template <typename T>
const MonitorOptions& Monitor<T>::options() const {
  return impl_->options();
}
template <typename T>
std::shared_ptr<const Model<T>> Monitor<T>::model() const {
  return impl_->model();
}

template class Monitor<float>;
template class Monitor<double>;

}  // namespace roipca
