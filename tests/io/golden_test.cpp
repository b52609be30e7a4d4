// Model files in golden/, which every later version must read. All were made from four rows whose PCA can be
// done by hand:
//
//     length,width,height
//     5,2,3
//     -3,2,3
//     1,4,3
//     1,0,3
//
// The mean is (1, 2, 3). The rows less the mean are (+-4, 0, 0) and (0, +-2, 0), so the scatter matrix is
// diag(2 * 4^2, 2 * 2^2, 0). `roipca fit -k 2` wrote two of the files, one of them with --float32. Python's
// OnlinePCA.save wrote the others, with the parameters in kParameters.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "roipca/model_file.hpp"

namespace roipca {
namespace {

constexpr const char* kParameters =
    R"({"n_components": 2, "method": "roipca", "mu": "zero", "tau": "optimal", "oversampling": 1, )"
    R"("update_every": "row", "block_size": 16, "center": true, "whiten": true, "forgetting": 1.0, )"
    R"("learning_rate": null, "n_jobs": 1})";

enum class Writer { kCommand, kPython };

struct Golden {
  const char* file;
  bool is_float;
  Writer writer;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.file; }

class GoldenModel : public testing::TestWithParam<Golden> {
 protected:
  // Calls visit(model) with the model in the file.
  template <typename Visit>
  static void read(Visit visit) {
    std::visit(visit, load_any(std::filesystem::path(ROIPCA_GOLDEN_FOLDER) / GetParam().file));
  }
};

TEST_P(GoldenModel, HasThePrecisionItWasWrittenWith) {
  read([]<typename T>(const Model<T>&) { EXPECT_EQ((std::is_same_v<T, float>), GetParam().is_float); });
}

// The tolerances allow for the few roundings of each of four updates, relative to the largest number.
TEST_P(GoldenModel, HasThePcaOfTheFourRows) {
  read([]<typename T>(const Model<T>& model) {
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon();
    const double rounding_of_components = 16.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_EQ(model.rows, 4);
    EXPECT_EQ(model.weight, 4.0);
    EXPECT_EQ(model.weight_pairs, 6.0);
    EXPECT_EQ(model.n_components, 2);
    EXPECT_EQ(model.mean, (std::vector{1.0, 2.0, 3.0}));
    EXPECT_EQ(model.mean_tail, (std::vector{0.0, 0.0, 0.0}));
    EXPECT_NEAR(model.scatter_trace, 40.0, 40.0 * rounding);
    ASSERT_EQ(model.scatter.size(), 3U);
    EXPECT_NEAR(model.scatter[0], 32.0, 32.0 * rounding);
    EXPECT_NEAR(model.scatter[1], 8.0, 32.0 * rounding);
    EXPECT_NEAR(model.scatter[2], 0.0, 32.0 * rounding);
    ASSERT_EQ(model.eigenvalues.size(), 2U);
    EXPECT_NEAR(model.eigenvalues[0], 32.0, 32.0 * rounding_of_components);
    EXPECT_NEAR(model.eigenvalues[1], 8.0, 32.0 * rounding_of_components);
    const OwnedRows<T> components = model.components();
    ASSERT_EQ(components.rows(), 2);
    ASSERT_EQ(components.cols(), 3);
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(components(i, j), i == j ? 1.0 : 0.0, rounding_of_components) << i << ", " << j;
      }
    }
  });
}

TEST_P(GoldenModel, HasTheFeatureNames) {
  read([](const auto& model) {
    EXPECT_EQ(model.feature_names, (std::vector<std::string>{"length", "width", "height"}));
  });
}

TEST_P(GoldenModel, HasTheOptionsItWasFittedWith) {
  Options expected;
  expected.n_components = 2;
  Method resolved = Method::kExact;
  if (GetParam().writer == Writer::kPython) {
    expected.method = Method::kRoipca;
    expected.mu = Mu::zero();
    expected.tau = Tau::kOptimal;
    expected.oversampling = 1;
    expected.update_every = UpdateEvery::kRow;
    expected.block_size = 16;
    resolved = Method::kRoipca;
  }
  read([&](const auto& model) {
    EXPECT_TRUE(model.options == expected);
    EXPECT_EQ(model.resolved, (Resolved{.method = resolved, .learning_rate = 0.0}));
  });
}

TEST_P(GoldenModel, HasTheParametersOfPythonIfItWroteThem) {
  read([](const auto& model) {
    EXPECT_EQ(model.parameters, GetParam().writer == Writer::kPython ? kParameters : "");
  });
}

INSTANTIATE_TEST_SUITE_P(Format1, GoldenModel,
                         testing::Values(Golden{"format1-double.safetensors", false, Writer::kCommand},
                                         Golden{"format1-float.safetensors", true, Writer::kCommand},
                                         Golden{"format1-double-python.safetensors", false, Writer::kPython},
                                         Golden{"format1-float-python.safetensors", true, Writer::kPython}),
                         [](const auto& test) {
                           return std::string(test.param.is_float ? "Float" : "Double") +
                                  (test.param.writer == Writer::kPython ? "OfPython" : "OfTheCommand");
                         });

}  // namespace
}  // namespace roipca
