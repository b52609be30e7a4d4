#include "io/model_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>

#include "io/bitwise_crc64.hpp"
#include "io/example_model.hpp"

namespace roipca::io {
namespace {

template <typename T>
class ModelCodec : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(ModelCodec, Numbers);

TYPED_TEST(ModelCodec, AModelSurvivesARoundTripBitForBit) {
  const auto model = example_model<TypeParam>();
  EXPECT_TRUE(same_bits(decode_bytes<TypeParam>(file_bytes(model)), model));
}

TYPED_TEST(ModelCodec, TheSmallestModelSurvivesARoundTrip) {
  Model<TypeParam> model;
  model.resolved.method = Method::kExact;
  model.n_components = 1;
  model.rows = 1;
  model.weight = 1.0;
  model.mean = model.mean_tail = model.scatter = model.eigenvalues = {0.0};
  model.basis.resize(1, 1);
  model.basis(0, 0) = 1;
  EXPECT_TRUE(same_bits(decode_bytes<TypeParam>(file_bytes(model)), model));
}

TYPED_TEST(ModelCodec, TheSameModelGivesTheSameBytes) {
  EXPECT_EQ(file_bytes(example_model<TypeParam>()), file_bytes(example_model<TypeParam>()));
}

template <typename Number>
Number number_at(const std::string& bytes, std::size_t offset) {
  std::array<char, sizeof(Number)> raw{};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), raw.size(), raw.begin());
  return std::bit_cast<Number>(raw);
}

std::string header_of(const std::string& bytes) {
  return bytes.substr(8, number_at<std::uint64_t>(bytes, 0));
}

// Returns the header with the value of one name, which contains no quotes, replaced by a star.
std::string masked(const std::string& header, const std::string& name) {
  const std::size_t value = header.find("\"" + name + "\":\"") + name.size() + 4;
  return header.substr(0, value) + "*" + header.substr(header.find('"', value));
}

TEST(ModelLayout, TheHeaderIsTheOneInTheDocumentation) {
  const std::string header =
      masked(masked(header_of(file_bytes(example_model<float>())), "checksum"), "library_version");
  const std::string expected =
      R"({"__metadata__":{"format":"roipca-model","format_version":"1","checksum":"*","library_version":"*",)"
      R"("option.n_components":"2","option.method":"froipca","option.update_every":"block",)"
      R"("option.block_size":"auto","option.mu":"0.1","option.tau":"optimal","option.oversampling":"1",)"
      R"("option.center":"true","option.standardize":"false","option.first_rows":"auto","option.missing":"error",)"
      R"("option.forgetting":"0.99","option.window":"none","option.align":"none","option.probes":"0","option.threads":"1",)"
      R"("option.learning_rate":"none","option.amnesia":"2",)"
      R"("resolved.method":"froipca","resolved.learning_rate":"0",)"
      R"("n_components":"2","rows":"7","weight":"6.1","weight_pairs":"5.300000000000001","scatter_trace":"7.5"},)"
      R"("mean":{"data_offsets":[0,32],"dtype":"F64","shape":[4]},)"
      R"("mean_tail":{"data_offsets":[32,64],"dtype":"F64","shape":[4]},)"
      R"("scatter":{"data_offsets":[64,96],"dtype":"F64","shape":[4]},)"
      R"("eigenvalues":{"data_offsets":[96,120],"dtype":"F64","shape":[3]},)"
      R"("components":{"data_offsets":[120,168],"dtype":"F32","shape":[3,4]}})";
  EXPECT_EQ(header.substr(0, expected.size()), expected);
  EXPECT_EQ(header.find_first_not_of(' ', expected.size()), std::string::npos);
}

TEST(ModelLayout, TheArraysFollowTheHeaderAtMultiplesOfEightBytes) {
  const auto model = example_model<float>();
  const std::string bytes = file_bytes(model);
  const std::size_t data = 8 + header_of(bytes).size();
  EXPECT_EQ(data % 8, 0U);
  ASSERT_EQ(bytes.size(), data + 168);
  EXPECT_EQ(number_at<double>(bytes, data + 16), model.mean[2]);
  EXPECT_EQ(number_at<double>(bytes, data + 32 + 16), model.mean_tail[2]);
  EXPECT_EQ(number_at<double>(bytes, data + 64 + 16), model.scatter[2]);
  EXPECT_EQ(number_at<double>(bytes, data + 96 + 8), model.eigenvalues[1]);
  for (Index component = 0; component < 3; ++component) {
    for (Index feature = 0; feature < 4; ++feature) {
      const auto place = static_cast<std::size_t>(component * 4 + feature);
      EXPECT_EQ(number_at<float>(bytes, data + 120 + 4 * place), model.basis(component, feature));
    }
  }
}

TEST(ModelLayout, TheChecksumIsOfTheWholeFileWithZerosInItsPlace) {
  std::string bytes = file_bytes(example_model<double>());
  const std::size_t place = bytes.find(R"("checksum":")") + 12;
  ASSERT_EQ(place, 82U);
  const std::string stored = bytes.substr(place, 16);
  bytes.replace(place, 16, 16, '0');
  std::array<char, 17> expected{};
  std::snprintf(expected.data(), expected.size(), "%016llx",
                static_cast<unsigned long long>(bitwise_crc64(bytes)));
  EXPECT_EQ(stored, expected.data());
}

}  // namespace
}  // namespace roipca::io
