// Eigen's sparse matrices as sparse rows.
#include "roipca/eigen_sparse.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "roipca/roipca.hpp"
#include "support/same_bits.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

constexpr Options kFive = {.n_components = 5, .method = Method::kRoipca};

template <typename T, typename StorageIndex>
using EigenSparse = Eigen::SparseMatrix<T, Eigen::RowMajor, StorageIndex>;

template <typename T, typename StorageIndex>
EigenSparse<T, StorageIndex> as_eigen_sparse(const support::Csr<T>& csr) {
  const auto view = csr.view();
  std::vector<Eigen::Triplet<T, StorageIndex>> entries;
  for (Index i = 0; i < view.rows(); ++i) {
    for (Index e = view.start(i); e < view.start(i + 1); ++e) {
      entries.emplace_back(static_cast<StorageIndex>(i), static_cast<StorageIndex>(view.column(e)),
                           view.value(e));
    }
  }
  EigenSparse<T, StorageIndex> matrix(view.rows(), view.cols());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

template <typename T, typename StorageIndex>
void expect_the_model_of_the_rows() {
  const auto csr = support::documents<T>(400, 300, 20, 1);
  const auto matrix = as_eigen_sparse<T, StorageIndex>(csr);
  const auto expected = OnlinePca<T>(kFive).partial_fit(csr.view()).model();
  EXPECT_EQ(support::first_difference(OnlinePca<T>(kFive).partial_fit(sparse_rows(matrix)).model(), expected),
            "");

  OnlinePca<T> in_parts(kFive);
  in_parts.partial_fit(sparse_rows(matrix.middleRows(0, 150)));
  in_parts.partial_fit(sparse_rows(matrix.middleRows(150, 250)));
  EXPECT_EQ(support::first_difference(in_parts.model(), expected), "");
}

TEST(EigenSparseMatrix, GivesTheModelOfItsRows) {
  expect_the_model_of_the_rows<double, std::int32_t>();
  expect_the_model_of_the_rows<float, std::int64_t>();
}

TEST(EigenSparseMatrix, MayBeAMap) {
  const auto csr = support::documents<double>(400, 300, 20, 2);
  const Eigen::Map<const EigenSparse<double, std::int64_t>> map(
      csr.count(), csr.columns, static_cast<Index>(csr.values.size()), csr.starts.data(), csr.indices.data(),
      csr.values.data());
  const SparseRows<double> rows = sparse_rows(map);
  EXPECT_EQ(rows.rows(), 400);
  EXPECT_EQ(rows.cols(), 300);
  EXPECT_EQ(rows.entries(), static_cast<Index>(csr.values.size()));
  EXPECT_EQ(support::first_difference(OnlinePca<double>(kFive).partial_fit(rows).model(),
                                      OnlinePca<double>(kFive).partial_fit(csr.view()).model()),
            "");
}

TEST(EigenSparseMatrix, MustBeCompressed) {
  EigenSparse<double, int> matrix(3, 4);
  matrix.insert(1, 2) = 5.0;
  matrix.uncompress();
  EXPECT_THROW(sparse_rows(matrix), std::invalid_argument);
  matrix.makeCompressed();
  const SparseRows<double> rows = sparse_rows(matrix);
  ASSERT_EQ(rows.entries(), 1);
  EXPECT_EQ(rows.start(1), 0);
  EXPECT_EQ(rows.column(0), 2);
  EXPECT_EQ(rows.value(0), 5.0);
}

}  // namespace
}  // namespace roipca
