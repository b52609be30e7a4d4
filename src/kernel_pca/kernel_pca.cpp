#include "roipca/kernel_pca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "basis/orthonormal.hpp"
#include "intake/row_check.hpp"
#include "kernel_pca/growing_spectrum.hpp"
#include "kernel_pca/landmarks.hpp"
#include "state/archive.hpp"

namespace roipca {
namespace {

// Sums of products of such numbers stay in range.
constexpr double kLargestValue = 1e150;
// Relative difference allowed between k(x, y) and k(y, x), for kernels computed in float.
constexpr double kSymmetry = 1e-6;
// Relative to the largest eigenvalue: scikit-learn's rules for eigenvalues that count as 0, and for those
// that are negative beyond rounding.
constexpr double kZeroRatio = 1e-12;
constexpr double kNegativeRatio = 1e-5;
constexpr double kNegativeValue = 1e-10;

using Engine = std::variant<GrowingSpectrum, Landmarks>;

Engine make_engine(const KernelOptions& options) {
  if (options.budget) return Landmarks(*options.budget, options.tolerance, options.center);
  if (options.n_components == 0) return GrowingSpectrum(std::nullopt, options.center);
  const Index extra = options.oversampling.value_or(std::max<Index>(10, options.n_components / 5));
  return GrowingSpectrum(options.n_components + extra, options.center);
}

void check_value(double value, const std::string& row, std::int64_t other) {
  if (std::abs(value) <= kLargestValue) return;
  std::ostringstream text;
  text << "kernel returned ";
  if (std::isnan(value)) {
    text << "NaN";
  } else {
    text << value;
  }
  text << " for " << row << " and " << other;
  throw KernelError(text.str());
}

// Returns the number of eigenvalues, given in descending order, that can be distinguished from 0.
Index count_positive(const Eigen::Ref<const Vector<double>>& values) {
  Index count = 0;
  while (count < values.size() && values[count] > kZeroRatio * values[0] && values[count] > 0.0) ++count;
  return count;
}

void make_largest_entries_positive(OwnedRows<double>& vectors) {
  for (auto column : as_columns(vectors).colwise()) {
    Index place = 0;
    if (column.size() > 0) column.cwiseAbs().maxCoeff(&place);
    if (column.size() > 0 && column[place] < 0.0) column = -column;
  }
}

// The eigenvalues of the whole matrix are reported in the order positive, zero, negative.
void check_reported(const GrowingSpectrum& spectrum, Index reported) {
  const auto values = spectrum.values();
  if (values.size() == 0 || values[values.size() - 1] >= 0.0) return;
  const Index negative = (values.array() < 0.0).count();
  if (reported <= spectrum.size() - negative) return;
  const double least = values[values.size() - 1 - (spectrum.size() - reported)];
  if (-least <= std::max(kNegativeValue, kNegativeRatio * std::max(values[0], 0.0))) return;
  std::ostringstream text;
  text << "kernel is not positive semi-definite: its matrix has the eigenvalues " << least << " and "
       << values[0] << "; use fewer than " << reported << " components";
  throw KernelError(text.str());
}

KernelComponents read(const GrowingSpectrum& spectrum, Index n_components) {
  const Index wanted = n_components == 0 ? spectrum.size() : std::min(n_components, spectrum.size());
  check_reported(spectrum, wanted);
  const Index positive = std::min(count_positive(spectrum.values()), wanted);
  const Index reported = n_components == 0 ? positive : wanted;
  KernelComponents found;
  found.eigenvalues.resize(static_cast<std::size_t>(reported));
  as_eigen(found.eigenvalues).head(positive) = spectrum.values().head(positive);
  found.eigenvectors.resize(reported, spectrum.size());
  auto vectors = as_columns(found.eigenvectors);
  vectors.leftCols(positive) = spectrum.vectors().leftCols(positive);
  complete<double>(vectors, positive);
  found.offset = to_vector(spectrum.column_means());
  return found;
}

KernelComponents read(const Landmarks& landmarks, Index n_components) {
  const auto pairs = landmarks.eigenpairs();
  const Index wanted = n_components == 0 ? landmarks.size() : std::min(n_components, landmarks.size());
  const Index positive = std::min(count_positive(pairs.values), wanted);
  const Index reported = n_components == 0 ? positive : wanted;
  KernelComponents found;
  found.eigenvalues.resize(static_cast<std::size_t>(reported));
  as_eigen(found.eigenvalues).head(positive) = pairs.values.head(positive);
  found.eigenvectors.resize(reported, landmarks.size());
  as_columns(found.eigenvectors) =
      pairs.duals.leftCols(reported) * as_eigen(found.eigenvalues).cwiseSqrt().asDiagonal();
  found.offset = to_vector(landmarks.mean_values());
  return found;
}

}  // namespace

void check(const KernelOptions& options) {
  if (options.n_components < 0) throw std::invalid_argument("n_components must not be negative");
  if (options.oversampling && *options.oversampling < 0) {
    throw std::invalid_argument("oversampling must not be negative");
  }
  if (options.budget && *options.budget < 1) throw std::invalid_argument("budget must be at least 1");
  if (options.budget && *options.budget < options.n_components) {
    throw std::invalid_argument("n_components (" + std::to_string(options.n_components) +
                                ") exceeds budget (" + std::to_string(*options.budget) + ")");
  }
  if (!(options.tolerance >= 0.0 && options.tolerance < 1.0)) {
    throw std::invalid_argument("tolerance must be at least 0 and below 1");
  }
}

template <typename T>
class KernelPca<T>::Impl {
 public:
  Impl(std::shared_ptr<const Kernel<T>> kernel, const KernelOptions& options)
      : kernel_(std::move(kernel)), options_((check(options), options)), engine_(make_engine(options)) {}

  void partial_fit(const Rows<T>& rows) {
    check_shape<T>(rows, {}, features());
    check_values<T>(rows);
    if (rows.rows() == 1) return add(rows.row(0));
    Impl next(*this);  // discarded if a later row fails
    for (Index i = 0; i < rows.rows(); ++i) next.add(rows.row(i));
    *this = std::move(next);
  }

  KernelComponents components() const {
    if (rows_seen_ == 0) throw std::logic_error("no rows have been added yet");
    const auto of_engine = [&](const auto& engine) { return read(engine, options_.n_components); };
    KernelComponents found = std::visit(of_engine, engine_);
    make_largest_entries_positive(found.eigenvectors);
    return found;
  }

  OwnedRows<T> transform(const Rows<T>& rows, const KernelComponents& components) const {
    check_shape<T>(rows, {}, features());
    const Vector<double> scales = as_eigen(components.eigenvalues).unaryExpr([](double value) {
      return value > 0.0 ? 1.0 / std::sqrt(value) : 0.0;
    });
    const Matrix<double> duals = as_columns(components.eigenvectors) * scales.asDiagonal();
    OwnedRows<T> scores(rows.rows(), duals.cols());
    Vector<double> column(kept_);
    for (Index i = 0; i < rows.rows(); ++i) {
      kernel_->against(rows.row(i), kept_rows(), {column.data(), static_cast<std::size_t>(kept_)});
      for (Index j = 0; j < kept_; ++j) check_value(column[j], "rows " + std::to_string(i), numbers_[j]);
      column -= as_eigen(components.offset);
      as_eigen(scores).row(i) = (column.transpose() * duals).template cast<T>();
    }
    return scores;
  }

  const std::shared_ptr<const Kernel<T>>& kernel() const { return kernel_; }
  const KernelOptions& options() const { return options_; }
  Index features() const { return rows_seen_ == 0 ? 0 : rows_.cols(); }
  std::int64_t rows_seen() const { return rows_seen_; }
  auto kept_rows() const { return rows_.topRows(kept_); }
  auto kept_numbers() const { return numbers_.head(kept_); }

  double representation_error() const {
    const auto* landmarks = std::get_if<Landmarks>(&engine_);
    return landmarks == nullptr ? 0.0 : landmarks->lost();
  }

  void visit_state(state::Archive& archive) {
    Index features = rows_.cols();
    archive(rows_seen_);
    archive.count(features, std::numeric_limits<Index>::max());
    archive.count(kept_, options_.budget.value_or(std::numeric_limits<Index>::max()));
    rows_.conservativeResize(std::max(rows_.rows(), kept_), features);
    numbers_.conservativeResize(rows_.rows());
    column_.resize(rows_.rows());
    archive(rows_.topRows(kept_), numbers_.topRows(kept_));
    std::visit([&](auto& engine) { archive(engine); }, engine_);
  }

 private:
  // All or nothing: everything that can fail is done first.
  void add(const Row<T>& row) {
    make_room(row.size());
    auto column = column_.head(kept_);
    kernel_->against(row, kept_rows(), {column_.data(), static_cast<std::size_t>(kept_)});
    const double diagonal = (*kernel_)(row, row);
    const std::string name = "rows " + std::to_string(rows_seen_);
    for (Index j = 0; j < kept_; ++j) check_value(column[j], name, numbers_[j]);
    check_value(diagonal, name, rows_seen_);
    if (kernel_->is_custom()) check_symmetry(row, diagonal);
    if (auto* landmarks = std::get_if<Landmarks>(&engine_)) {
      keep(row, landmarks->add(column, diagonal, rounding_of(column, diagonal)));
    } else {
      std::get<GrowingSpectrum>(engine_).append(column, diagonal);
      keep(row, std::nullopt);
    }
    ++rows_seen_;
  }

  // A custom kernel may compute in float, as NumPy does with rows of float32. Then all values are floats.
  double rounding_of(const Eigen::Ref<const Vector<double>>& column, double diagonal) const {
    const auto is_float = [](double x) { return static_cast<double>(static_cast<float>(x)) == x; };
    const bool in_float = kernel_->is_custom() && is_float(diagonal) && std::ranges::all_of(column, is_float);
    return in_float ? double{std::numeric_limits<float>::epsilon()} : std::numeric_limits<double>::epsilon();
  }

  void check_symmetry(const Row<T>& row, double diagonal) const {
    for (Index j = 0; j < kept_; ++j) {
      const double back = (*kernel_)(rows_.row(j), row);
      const double scale = std::max({std::abs(diagonal), std::abs(back), std::abs(column_[j])});
      if (std::abs(back - column_[j]) <= kSymmetry * scale) continue;
      std::ostringstream text;
      text.precision(17);
      text << "kernel is not symmetric: k(x, y) = " << column_[j] << ", k(y, x) = " << back << " for rows "
           << rows_seen_ << " and " << numbers_[j];
      throw KernelError(text.str());
    }
  }

  void make_room(Index features) {
    if (kept_ < rows_.rows() && rows_.cols() == features) return;
    const Index room = std::min(options_.budget.value_or(std::numeric_limits<Index>::max()),
                                std::max<Index>(64, kept_ + kept_ / 2));
    if (room <= kept_) return;  // the budget is exhausted
    column_.resize(room);
    numbers_.conservativeResize(room);
    rows_.conservativeResize(room, features);
  }

  // Appends the row to the kept ones, and removes the dropped one, which may be the row itself.
  void keep(const Row<T>& row, std::optional<Index> dropped) {
    if (dropped && *dropped == kept_) return;
    if (dropped) {
      for (Index i = *dropped; i + 1 < kept_; ++i) {
        rows_.row(i) = rows_.row(i + 1);
        numbers_[i] = numbers_[i + 1];
      }
      --kept_;
    }
    rows_.row(kept_) = as_eigen(row);
    numbers_[kept_] = rows_seen_;
    ++kept_;
  }

  std::shared_ptr<const Kernel<T>> kernel_;  // shared, so that copies do not copy a custom function
  KernelOptions options_;
  Engine engine_;
  std::int64_t rows_seen_ = 0;
  Index kept_ = 0;
  RowMatrix<T> rows_;  // with space for more
  Vector<std::int64_t> numbers_;
  Vector<double> column_;
};

template <typename T>
KernelPca<T>::KernelPca(Kernel<T> kernel, const KernelOptions& options)
    : impl_(std::make_unique<Impl>(std::make_shared<const Kernel<T>>(std::move(kernel)), options)) {}

template <typename T>
KernelPca<T>::KernelPca(const KernelPca& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
template <typename T>
KernelPca<T>::KernelPca(KernelPca&& other) noexcept = default;
template <typename T>
KernelPca<T>& KernelPca<T>::operator=(KernelPca other) noexcept {
  impl_ = std::move(other.impl_);
  return *this;
}
template <typename T>
KernelPca<T>::~KernelPca() = default;
template <typename T>
KernelPca<T>::KernelPca(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

template <typename T>
KernelPca<T>& KernelPca<T>::fit(const Rows<T>& rows) {
  auto fresh = std::make_unique<Impl>(impl_->kernel(), impl_->options());
  fresh->partial_fit(rows);
  impl_ = std::move(fresh);
  return *this;
}

template <typename T>
KernelPca<T>& KernelPca<T>::partial_fit(const Rows<T>& rows) {
  impl_->partial_fit(rows);
  return *this;
}

template <typename T>
KernelComponents KernelPca<T>::components() const {
  return impl_->components();
}

template <typename T>
OwnedRows<T> KernelPca<T>::transform(const Rows<T>& rows, const KernelComponents& components) const {
  return impl_->transform(rows, components);
}

template <typename T>
const KernelOptions& KernelPca<T>::options() const {
  return impl_->options();
}
template <typename T>
Index KernelPca<T>::features() const {
  return impl_->features();
}
template <typename T>
std::int64_t KernelPca<T>::rows_seen() const {
  return impl_->rows_seen();
}
template <typename T>
OwnedRows<T> KernelPca<T>::kept_rows() const {
  return to_rows(impl_->kept_rows());
}
template <typename T>
std::vector<std::int64_t> KernelPca<T>::kept_numbers() const {
  return to_vector(impl_->kept_numbers());
}
template <typename T>
double KernelPca<T>::representation_error() const {
  return impl_->representation_error();
}

namespace {

// The first number of a state; no state of an OnlinePca begins with it.
template <typename T>
constexpr std::uint32_t kKind = 0x100 + sizeof(T);

void visit_options(state::Archive& archive, KernelOptions& options) {
  archive(options.n_components, options.center, options.oversampling, options.budget, options.tolerance);
}

}  // namespace

template <typename T>
std::vector<std::byte> KernelPca<T>::state() const {
  return state::pack([&](state::Archive& archive) {
    std::uint32_t kind = kKind<T>;
    KernelOptions options = impl_->options();
    archive(kind);
    visit_options(archive, options);
    archive(*impl_);
  });
}

template <typename T>
KernelPca<T> KernelPca<T>::from_state(Kernel<T> kernel, std::span<const std::byte> bytes) {
  auto shared = std::make_shared<const Kernel<T>>(std::move(kernel));
  std::unique_ptr<Impl> impl;
  state::unpack(bytes, [&](state::Archive& archive) {
    std::uint32_t kind = kKind<T>;
    KernelOptions options;
    archive(kind);
    if (kind != kKind<T>) {
      throw std::invalid_argument(
          "state was saved by another class, or by KernelPca with the other scalar type");
    }
    visit_options(archive, options);
    impl = std::make_unique<Impl>(shared, options);
    archive(*impl);
  });
  return KernelPca(std::move(impl));
}

template class KernelPca<float>;
template class KernelPca<double>;

}  // namespace roipca
