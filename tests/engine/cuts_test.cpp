// The model depends on the rows and their order, not on how they are divided into calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Cuts : public ::testing::Test {
 protected:
  // Enough rows to fill every sketch several times, and for the drift guard to measure twice.
  static constexpr Index kRows = 300;
  const RowMatrix<T> rows_ = decaying_rows(kRows, 17, 0.8, 1).cast<T>();

  static Model<T> whole(const Options& options, const RowMatrix<T>& rows) {
    return OnlinePca<T>(options).partial_fit(rows).model();
  }
};
TYPED_TEST_SUITE(Cuts, Scalars);

TYPED_TEST(Cuts, OneByOneGivesTheSameBitsAsAllAtOnce) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    for (Index i = 0; i < this->kRows; ++i) pca.update(this->rows_.row(i).transpose());
    EXPECT_EQ(first_difference(pca.model(), this->whole(pca.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, RandomCutsGiveTheSameBitsAsAllAtOnce) {
  std::mt19937_64 bits(2);
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    for (Index from = 0; from < this->kRows;) {
      const Index count = std::min<Index>(this->kRows - from, 1 + static_cast<Index>(bits() % 40));
      pca.partial_fit(this->rows_.middleRows(from, count));
      from += count;
    }
    EXPECT_EQ(first_difference(pca.model(), this->whole(pca.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, ReadingTheModelAfterEveryRowChangesNoBit) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    for (Index i = 0; i < this->kRows; ++i) {
      pca.update(this->rows_.row(i).transpose());
      static_cast<void>(pca.model());
      static_cast<void>(pca.learning_rates());
    }
    EXPECT_EQ(first_difference(pca.model(), this->whole(pca.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, RowsOfAWiderMatrixAreReadInPlaceWithTheSameBits) {
  RowMatrix<TypeParam> wide = RowMatrix<TypeParam>::Constant(this->kRows, 23, TypeParam{7});
  wide.middleCols(3, 17) = this->rows_;
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(wide.middleCols(3, 17));
    EXPECT_EQ(first_difference(pca.model(), this->whole(pca.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, CutsDoNotMatterWhereTheScaleChanges) {
  RowMatrix<TypeParam> rows = this->rows_.topRows(60);
  const double large = kEpsilon<TypeParam> > 1e-10 ? 1e12 : 1e90;
  rows.topRows(11) *= static_cast<TypeParam>(1.0 / large);
  rows.bottomRows(24) *= static_cast<TypeParam>(large);
  for (const Way& method : kAllMethods) {
    const auto whole = this->whole(options_for(method, 3), rows);
    for (Index cut = 1; cut < rows.rows(); ++cut) {
      OnlinePca<TypeParam> pca(options_for(method, 3));
      pca.partial_fit(rows.topRows(cut)).partial_fit(rows.bottomRows(rows.rows() - cut));
      ASSERT_EQ(first_difference(pca.model(), whole), "") << name(method) << " " << cut;
    }
  }
}

TYPED_TEST(Cuts, CutsDoNotMatterWhileForgettingAndWeighing) {
  const Vector<double> weights = uniform_numbers(this->kRows, 3) * 4.0;
  for (const Way& method : kAllMethods) {
    Options options = options_for(method, 3);
    options.forgetting = 0.97;
    OnlinePca<TypeParam> whole(options);
    whole.partial_fit(this->rows_, weights);
    OnlinePca<TypeParam> single(options);
    for (Index i = 0; i < this->kRows; ++i) single.update(this->rows_.row(i).transpose(), weights[i]);
    EXPECT_EQ(first_difference(single.model(), whole.model()), "") << name(method);
  }
}

TYPED_TEST(Cuts, ACopyContinuesAsTheOriginalWould) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(this->rows_.topRows(150));
    OnlinePca<TypeParam> copy(pca);
    copy.partial_fit(this->rows_.bottomRows(150));
    EXPECT_EQ(first_difference(copy.model(), this->whole(pca.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, RowsOfACopyDoNotReachTheOriginal) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(this->rows_.topRows(150));
    const auto before = pca.model();
    OnlinePca<TypeParam> copy(pca);
    copy.partial_fit(this->rows_.bottomRows(150));
    EXPECT_EQ(first_difference(pca.model(), before), "") << name(method);
  }
}

TYPED_TEST(Cuts, AnAssignedEstimatorContinuesAsItsSourceWould) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(this->rows_.topRows(150));
    OnlinePca<TypeParam> other(options_for(Method::kExact, 2));
    other.partial_fit(to_rows(RowMatrix<TypeParam>::Identity(5, 5)));
    other = pca;
    other.partial_fit(this->rows_.bottomRows(150));
    EXPECT_EQ(first_difference(other.model(), this->whole(pca.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, AMovedEstimatorContinuesAsItsSourceWould) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(this->rows_.topRows(150));
    OnlinePca<TypeParam> moved(std::move(pca));
    moved.partial_fit(this->rows_.bottomRows(150));
    EXPECT_EQ(first_difference(moved.model(), this->whole(moved.options(), this->rows_)), "") << name(method);
  }
}

TYPED_TEST(Cuts, AnEstimatorWithoutRowsCanBeCopied) {
  const OnlinePca<TypeParam> empty(options_for(Method::kRoipca, 3));
  OnlinePca<TypeParam> copy(empty);
  copy.partial_fit(this->rows_);
  EXPECT_EQ(first_difference(copy.model(), this->whole(empty.options(), this->rows_)), "");
}

TYPED_TEST(Cuts, RowsSeenAndFeaturesFollowTheRows) {
  OnlinePca<TypeParam> pca(options_for(Method::kRoipca, 3));
  EXPECT_EQ(pca.features(), 0);
  EXPECT_EQ(pca.rows_seen(), 0);
  pca.partial_fit(this->rows_);
  EXPECT_EQ(pca.features(), 17);
  EXPECT_EQ(pca.rows_seen(), this->kRows);
}

TYPED_TEST(Cuts, ThereIsNoModelBeforeTheFirstRow) {
  EXPECT_THROW(OnlinePca<TypeParam>(options_for(Method::kRoipca, 3)).model(), std::logic_error);
}

}  // namespace
}  // namespace roipca
