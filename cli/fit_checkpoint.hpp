/// The checkpoints of `roipca fit`: the estimator and a fingerprint of its input (docs/format.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "roipca/online_pca.hpp"
#include "roipca/refinement.hpp"

namespace roipca::cli {

/// A checksum of the first rows of an input, which reveals whether a run is resumed with a different input.
class InputFingerprint {
 public:
  static constexpr std::int64_t kMostRows = 1000;

  explicit InputFingerprint(std::int64_t most_rows = kMostRows) : most_rows_(most_rows) {}

  /// Adds rows until the fingerprint is complete. How the rows are cut into blocks makes no difference.
  template <typename T>
  void add(const Rows<T>& rows);
  template <typename T>
  void add(const SparseRows<T>& rows);

  bool is_complete() const { return rows_ == most_rows_; }
  std::int64_t rows() const { return rows_; }
  std::uint32_t checksum() const { return checksum_; }

 private:
  template <typename V>
  void add_bytes(const V* numbers, Index count);

  std::int64_t most_rows_;
  std::int64_t rows_ = 0;
  std::uint32_t checksum_ = 0;
};

template <typename T>
struct FitCheckpoint {
  OnlinePca<T> pca;
  std::optional<Refinement<T>> refinement = {};  ///< set in a later pass; `pca` is then that of its model
  std::int64_t fingerprint_rows = 0;             ///< at most rows()
  std::uint32_t fingerprint = 0;

  /// Number of rows that the pass has read so far.
  std::int64_t rows() const { return refinement ? refinement->rows() : pca.rows_seen() + empty_rows(); }
  /// Number of rows without any value. They are read, but not learned.
  std::int64_t empty_rows() const {
    const bool has_gaps = pca.options().missing == Missing::kImpute && pca.rows_seen() > 0;
    return has_gaps ? pca.model().empty_rows : 0;
  }
};

/// Replaces the file completely or not at all. Throws FileError.
template <typename T>
void save_fit(const OnlinePca<T>& pca, const InputFingerprint& start, const std::string& path);

/// The same in a later pass.
template <typename T>
void save_fit(const Refinement<T>& refinement, const InputFingerprint& start, const std::string& path);

/// Throws FileError that names the file and says what is wrong with it.
template <typename T>
FitCheckpoint<T> load_fit(const std::string& path);

extern template void InputFingerprint::add(const Rows<float>&);
extern template void InputFingerprint::add(const Rows<double>&);
extern template void InputFingerprint::add(const SparseRows<float>&);
extern template void InputFingerprint::add(const SparseRows<double>&);
extern template void save_fit(const OnlinePca<float>&, const InputFingerprint&, const std::string&);
extern template void save_fit(const OnlinePca<double>&, const InputFingerprint&, const std::string&);
extern template void save_fit(const Refinement<float>&, const InputFingerprint&, const std::string&);
extern template void save_fit(const Refinement<double>&, const InputFingerprint&, const std::string&);
extern template FitCheckpoint<float> load_fit(const std::string&);
extern template FitCheckpoint<double> load_fit(const std::string&);

}  // namespace roipca::cli
