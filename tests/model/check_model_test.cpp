// Every kind of broken model is refused, and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "roipca/batch_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

struct Damage {
  const char* name;
  std::function<void(Model<double>&)> inflict;
  const char* message;  // a part of the message
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class BrokenModel : public ::testing::TestWithParam<Damage> {
 protected:
  const Model<double> good_ = batch_pca<double>(normal_rows(30, 6, 1), options_for(Method::kRoipca, 2));
};

TEST_F(BrokenModel, AGoodOneIsNotRefused) { EXPECT_NO_THROW(check(good_)); }

TEST_P(BrokenModel, IsRefusedByName) {
  auto model = good_;
  GetParam().inflict(model);
  try {
    check(model);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
  }
}

// 100 times the components take about 300 times as long, because they no longer fit into a cache. All the
// angles between them would take 50,000 times as long. Processor time: other programs do not count.
TEST_F(BrokenModel, IsFoundInTimeProportionalToItsSize) {
  const auto ticks_for = [](Index held) {
    Model<float> model;
    model.options = options_for(Method::kExact, held);
    model.resolved.method = Method::kExact;
    model.n_components = held;
    model.rows = 1;
    model.weight = 1.0;
    model.mean.resize(4000);
    model.mean_tail = model.scatter = model.mean;
    model.eigenvalues.resize(static_cast<std::size_t>(held));
    model.basis = to_rows(RowMatrix<float>::Identity(held, 4000));
    const std::clock_t start = std::clock();
    check(model);
    return static_cast<double>(std::clock() - start + 1);
  };
  ticks_for(20);
  double ratio = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) ratio = std::min(ratio, ticks_for(2000) / ticks_for(20));
  EXPECT_LT(ratio, 3000.0);
}

const Damage kDamages[] = {
    {"NoFeatures", [](auto& m) { m = Model<double>(); }, "no features"},
    {"BadOptions", [](auto& m) { m.options.forgetting = 2.0; }, "forgetting"},
    {"TooManyComponents", [](auto& m) { m.options.n_components = 7; }, "n_components is 7"},
    {"OtherComponents", [](auto& m) { m.n_components = 3; }, "n_components"},
    {"ShortTail", [](auto& m) { m.mean_tail.resize(5); }, "widths"},
    {"ShortScatter", [](auto& m) { m.scatter.resize(5); }, "widths"},
    {"ShortBasis", [](auto& m) { m.basis = to_rows(as_eigen(m.basis).leftCols(5)); }, "widths"},
    {"NarrowBasis", [](auto& m) { m.basis.resize(5, 6); }, "sizes"},
    {"FewerThanReported",
     [](auto& m) {
       m.basis.resize(1, 6);
       m.eigenvalues.resize(1);
     },
     "fewer components"},
    {"MoreThanFeatures",
     [](auto& m) {
       m.basis = to_rows(Matrix<double>::Identity(7, 6));
       m.eigenvalues.assign(7, 1.0);
     },
     "more than it has features"},
    {"NoRows", [](auto& m) { m.rows = 0; }, "rows and weights"},
    {"NegativeRows", [](auto& m) { m.rows = -1; }, "rows and weights"},
    {"NoWeight", [](auto& m) { m.weight = 0.0; }, "rows and weights"},
    {"NanWeight", [](auto& m) { m.weight = kNan; }, "rows and weights"},
    {"InfiniteWeight", [](auto& m) { m.weight = kInf; }, "rows and weights"},
    {"NanWeightPairs", [](auto& m) { m.weight_pairs = kNan; }, "rows and weights"},
    {"NegativeWeightPairs", [](auto& m) { m.weight_pairs = -1.0; }, "rows and weights"},
    {"NanMean", [](auto& m) { m.mean[3] = kNan; }, "mean"},
    {"InfiniteTail", [](auto& m) { m.mean_tail[3] = kInf; }, "mean"},
    {"NanScatter", [](auto& m) { m.scatter[5] = kNan; }, "scatter"},
    {"NegativeScatter", [](auto& m) { m.scatter[5] = -1.0; }, "scatter"},
    {"NanEigenvalue", [](auto& m) { m.eigenvalues[1] = kNan; }, "eigenvalue"},
    {"InfiniteEigenvalue", [](auto& m) { m.eigenvalues[0] = kInf; }, "eigenvalue"},
    {"NegativeEigenvalue", [](auto& m) { m.eigenvalues.back() = -1.0; }, "eigenvalue"},
    {"EigenvaluesOutOfOrder", [](auto& m) { std::ranges::reverse(m.eigenvalues); }, "not descending"},
    {"NanBasis", [](auto& m) { m.basis(1, 2) = kNan; }, "orthonormal"},
    {"InfiniteBasis", [](auto& m) { m.basis(1, 2) = kInf; }, "orthonormal"},
    {"LongComponent", [](auto& m) { as_eigen(m.basis).row(1) *= 1.001; }, "orthonormal"},
    {"EqualComponents", [](auto& m) { as_eigen(m.basis).row(1) = as_eigen(m.basis).row(0); }, "orthonormal"},
    {"TiltedComponent",
     [](auto& m) {
       as_eigen(m.basis).row(2) += 1e-6 * as_eigen(m.basis).row(0);
       as_eigen(m.basis).row(2).normalize();
     },
     "orthonormal"},
    {"ProbesNotAskedFor", [](auto& m) { m.probe_products.assign(6, 1.0); }, "products with probes"},
    {"HalfAProbe",
     [](auto& m) {
       m.options.probes = 1;
       m.probe_products.assign(5, 1.0);
     },
     "products with probes"},
    {"InfiniteProbe",
     [](auto& m) {
       m.options.probes = 1;
       m.probe_products.assign(6, kInf);
     },
     "products with probes"},
    {"ZeroComponent", [](auto& m) { as_eigen(m.basis).row(1).setZero(); }, "orthonormal"},
};
INSTANTIATE_TEST_SUITE_P(Check, BrokenModel, ::testing::ValuesIn(kDamages),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace roipca
