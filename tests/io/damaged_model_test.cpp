/// Files that `save` did not write: damaged, truncated, or forged with a right checksum.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <string>

#include "io/checksum.hpp"
#include "io/example_model.hpp"
#include "io/model_header.hpp"

namespace roipca::io {
namespace {

std::string example_bytes() { return file_bytes(example_model<double>()); }

std::string length_bytes(std::uint64_t length) {
  const auto raw = std::bit_cast<std::array<char, 8>>(length);
  return {raw.begin(), raw.end()};
}

std::string with_header_length(std::uint64_t length) {
  return length_bytes(length) + example_bytes().substr(8);
}

// Returns a file with this header and data, and with matching length and checksum.
std::string sealed(std::string header, const std::string& data) {
  header.replace(kChecksumOffset, kChecksumDigits, kChecksumDigits, '0');
  std::string bytes = length_bytes(header.size()) + header + data;
  Crc64 crc;
  crc.add(std::as_bytes(std::span(bytes)));
  return bytes.replace(8 + kChecksumOffset, kChecksumDigits, crc.hex());
}

std::string example_header() { return encode(example_model<double>()).head.substr(8); }

std::string example_data() { return example_bytes().substr(8 + example_header().size()); }

// The example with one part of its header replaced.
std::string forged(const std::string& from, const std::string& to) {
  std::string header = example_header();
  const std::size_t place = header.find(from);
  if (place == std::string::npos) throw std::logic_error("the header has no " + from);
  return sealed(header.replace(place, from.size(), to), example_data());
}

void expect_refusal(const std::string& bytes, const std::string& message) {
  const std::string reason = refusal<double>(bytes);
  EXPECT_NE(reason.find(message), std::string::npos) << "refused with \"" << reason << "\", not " << message;
}

TEST(DamagedModel, EveryFlippedBitIsNoticed) {
  const std::string whole = example_bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      ASSERT_NE(refusal<double>(bytes), "") << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(DamagedModel, EveryOverwrittenByteIsNoticed) {
  const std::string whole = example_bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char other : {'\0', '\xFF', ' ', '0', '"', '}'}) {
      if (whole[i] == other) continue;
      std::string bytes = whole;
      bytes[i] = other;
      ASSERT_NE(refusal<double>(bytes), "") << "byte " << i << " set to " << static_cast<int>(other);
    }
  }
}

TEST(DamagedModel, TruncationAtEveryLengthIsNoticed) {
  const std::string whole = example_bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_NE(refusal<double>(whole.substr(0, size)), "") << "cut to " << size << " bytes";
  }
}

TEST(DamagedModel, TruncationNamesBothNumbers) {
  const std::string whole = example_bytes();
  const std::string data_size = std::to_string(example_data().size());
  expect_refusal(whole.substr(0, 3), "byte 0: the length of the header: need 8 bytes, have 3");
  expect_refusal(whole.substr(0, 20), "need " + std::to_string(example_header().size()) + " bytes, have 12");
  expect_refusal(whole.substr(0, whole.size() - 1),
                 "need " + data_size + " bytes, have " + std::to_string(example_data().size() - 1));
}

TEST(DamagedModel, TrailingBytesAreNoticed) {
  for (const std::size_t extra : {1U, 7U, 8U, 4096U}) {
    expect_refusal(example_bytes() + std::string(extra, '\0'),
                   "have " + std::to_string(example_data().size() + extra));
  }
}

TEST(DamagedModel, AbsurdHeaderLengthsAreRefused) {
  const std::uint64_t all = example_bytes().size() - 8;
  expect_refusal(with_header_length(all + 1),
                 "need " + std::to_string(all + 1) + " bytes, have " + std::to_string(all));
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8},
                                     std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    expect_refusal(with_header_length(length), "not a roipca model");
  }
  EXPECT_NE(refusal<double>(with_header_length(all)), "");
  EXPECT_NE(refusal<double>(with_header_length(80)), "");
}

TEST(DamagedModel, AHeaderBeyondTheLimitIsRefusedEvenWhereItFits) {
  expect_refusal(length_bytes(kMaxHeaderSize + 1) + std::string(kMaxHeaderSize + 1, ' '), "at most 1048576");
}

TEST(ForgedModel, TheForgeryItselfIsSound) {
  EXPECT_EQ(refusal<double>(sealed(example_header(), example_data())), "");
  EXPECT_EQ(refusal<double>(forged(R"("rows":"7")", R"("rows":"8","later_field":"x")")), "");
}

TEST(ForgedModel, AnotherFormatVersionIsRefused) {
  expect_refusal(forged(R"("format_version":"1")", R"("format_version":"2")"), "reads model format 1, not 2");
  expect_refusal(forged(R"("format_version":"1")", R"("format_version":"11")"),
                 "reads model format 1, not 11");
}

TEST(ForgedModel, OtherSafetensorsFilesAreRefused) {
  const std::string header = R"({"weight":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  expect_refusal(length_bytes(header.size()) + header + std::string(8, '\0'), "not a roipca model");
}

TEST(ForgedModel, NumbersOfAnotherTypeAreRefusedByName) {
  EXPECT_NE(
      refusal<float>(example_bytes()).find("holds double (F64) components and cannot be loaded as float"),
      std::string::npos);
  expect_refusal(file_bytes(example_model<float>()),
                 "holds float (F32) components and cannot be loaded as double");
  expect_refusal(forged(R"("dtype":"F64","shape":[3,4])", R"("dtype":"BF16","shape":[3,4])"), R"("BF16")");
  expect_refusal(forged(R"("dtype":"F64","shape":[4])", R"("dtype":"F32","shape":[4])"),
                 R"(field "mean": its dtype must be "F64" to match the components, not "F32")");
}

TEST(ForgedModel, ShapesThatDisagreeAreRefused) {
  expect_refusal(forged(R"("shape":[4])", R"("shape":[5])"),
                 "its shape must be [4] to match the components, not [5]");
  expect_refusal(forged(R"("shape":[3])", R"("shape":[2])"),
                 "its shape must be [3] to match the components, not [2]");
  expect_refusal(forged(R"([0,32])", R"([8,40])"),
                 "its data_offsets must be [0,32] to match the components, not [8,40]");
  for (const char* shape : {"[12]", "[3,4,1]", "[-3,4]", "[3.0,4]", "3", "\"3\"", "{}"}) {
    expect_refusal(forged("[3,4]", shape), "field \"components\"");
  }
}

TEST(ForgedModel, ShapesTooLargeForMemoryAreRefusedBeforeItIsTaken) {
  for (const char* shape : {"[4294967296,4294967296]", "[4611686018427387904,4]", "[0,18446744073709551615]",
                            "[18446744073709551615,0]", "[1,1152921504606846975]"}) {
    EXPECT_NE(refusal<double>(forged("[3,4]", shape)), "") << shape;
  }
}

TEST(ForgedModel, AHeaderThatClaimsMoreThanTheFileHoldsIsRefusedBeforeMemoryIsTaken) {
  // The header is consistent, but the file is too short by several exabytes.
  ModelHeader header;
  header.features = std::uint64_t{1} << 40;
  header.held = 1U << 16;
  const std::string bytes = sealed(write_header(header), example_data());
  const std::uint64_t need = 8 * (3 * header.features + header.held + header.held * header.features);
  expect_refusal(bytes,
                 "need " + std::to_string(need) + " bytes, have " + std::to_string(example_data().size()));
}

TEST(ForgedModel, MissingAndUnknownPartsAreNamed) {
  expect_refusal(forged(R"("rows":"7",)", ""), R"("rows" of the metadata is missing)");
  expect_refusal(forged(R"("rows":"7")", R"("rows":7)"), R"("rows" of the metadata: not a string)");
  expect_refusal(forged(R"("scatter":)", R"("Scatter":)"), R"("scatter" is missing)");
  expect_refusal(forged(R"("mean":)", R"("more":{},"mean":)"), R"(field "more")");
  expect_refusal(forged(R"("data_offsets":[0,32],)", ""), R"(field "mean": "data_offsets" is missing)");
  expect_refusal(forged(R"("dtype":"F64","shape":[3,4])", R"("dtype":"F64")"),
                 R"(field "components": "shape" is missing)");
}

TEST(ForgedModel, ValuesOutOfRangeAreNamed) {
  expect_refusal(forged(R"("weight":"6.1")", R"("weight":"nan")"), R"(field "weight")");
  expect_refusal(forged(R"("option.mu":"0.1")", R"("option.mu":"most")"), R"(field "option.mu")");
  expect_refusal(forged(R"("option.method":"froipca")", R"("option.method":"pca")"),
                 R"(field "option.method")");
  expect_refusal(forged(R"("n_components":"2")", R"("n_components":"99")"), "not a valid model: ");
}

TEST(ForgedModel, InfiniteNumbersAreRefused) {
  auto model = example_model<double>();
  model.mean[1] = std::numeric_limits<double>::infinity();
  expect_refusal(file_bytes(model), "not a valid model: ");
}

TEST(ForgedModel, BrokenJsonIsRefusedWithItsPlace) {
  expect_refusal(forged(R"("option.mu":)", R"("option.mu";)"), ": the header is not valid JSON");
  expect_refusal(forged(R"("option.mu":"0.1")", "\"option.mu\":\"\xC3\x28\""),
                 ": the header is not valid JSON");
}

TEST(ForgedModel, DeepNestingIsRefusedAndDoesNotOverflowTheStack) {
  const std::string deep = std::string(400000, '[') + std::string(400000, ']');
  expect_refusal(forged("[3,4]", deep), "nested too deeply");
}

}  // namespace
}  // namespace roipca::io
