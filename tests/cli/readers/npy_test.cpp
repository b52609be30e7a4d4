#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cli/reading.hpp"
#include "readers/binary.hpp"

namespace roipca::cli {
namespace {

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string preface = std::string("\x93NUMPY") + version + '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) preface += static_cast<char>(dictionary.size() >> (8 * i));
  return preface + dictionary + data;
}

std::string header(const std::string& type, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers, bool reversed = false) {
  std::string bytes;
  for (const Number number : numbers) {
    std::string one(sizeof(Number), '\0');
    std::memcpy(one.data(), &number, sizeof(Number));
    if (reversed) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

template <typename T = double>
RowMatrix<T> read_npy(std::unique_ptr<PeekedStream> stream) {
  const BinaryLayout layout = read_npy_header(*stream);
  return all_rows(*open_binary<T>(std::move(stream), layout));
}

std::string refusal(const std::string& bytes) {
  return refusal_of([&] { read_npy(stream_of(bytes)); });
}

const RowMatrix<double> kExpected = (RowMatrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished();

template <typename Number>
void expect_type(const std::string& name) {
  const std::vector<Number> numbers = {Number(1), Number(2), Number(3), Number(4), Number(5), Number(6)};
  const std::string size = std::to_string(sizeof(Number));
  const std::string little = npy(header("<" + name + size, "(3, 2)"), bytes_of(numbers));
  const std::string big = npy(header(">" + name + size, "(3, 2)"), bytes_of(numbers, true));
  EXPECT_EQ(read_npy(stream_of(little)), kExpected) << name << size;
  EXPECT_EQ(read_npy(stream_of(big)), kExpected) << name << size;
  EXPECT_EQ(read_npy<float>(stream_of(big)), kExpected.cast<float>()) << name << size;
}

TEST(Npy, EveryRealTypeIsReadInEitherByteOrder) {
  expect_type<std::int8_t>("i");
  expect_type<std::int16_t>("i");
  expect_type<std::int32_t>("i");
  expect_type<std::int64_t>("i");
  expect_type<std::uint8_t>("u");
  expect_type<std::uint16_t>("u");
  expect_type<std::uint32_t>("u");
  expect_type<std::uint64_t>("u");
  expect_type<Eigen::half>("f");
  expect_type<float>("f");
  expect_type<double>("f");
}

TEST(Npy, BooleansAreZeroAndOne) {
  const auto rows = read_npy(stream_of(npy(header("|b1", "(2, 2)"), std::string("\0\1\1\0", 4))));
  EXPECT_EQ(rows, (RowMatrix<double>(2, 2) << 0, 1, 1, 0).finished());
}

TEST(Npy, FortranOrderIsRead) {
  const std::string data = bytes_of<double>({1, 3, 5, 2, 4, 6});
  EXPECT_EQ(read_npy(stream_of(npy(header("<f8", "(3, 2)", "True"), data))), kExpected);
}

TEST(Npy, FortranOrderFromAPipeIsRefused) {
  const std::string data = bytes_of<double>({1, 3, 5, 2, 4, 6});
  const std::string reason =
      refusal_of([&] { read_npy(pipe_of(npy(header("<f8", "(3, 2)", "True"), data))); });
  EXPECT_NE(reason.find("Fortran order cannot be read from a pipe"), std::string::npos) << reason;
}

TEST(Npy, EveryVersionIsReadFromFilesAndPipes) {
  const std::string data = bytes_of<double>({1, 2, 3, 4, 5, 6});
  for (const char version : {'\1', '\2', '\3'}) {
    EXPECT_EQ(read_npy(pipe_of(npy(header("<f8", "(3, 2)"), data, version))), kExpected);
  }
  EXPECT_NE(refusal(npy(header("<f8", "(3, 2)"), data, 4)).find("version 4"), std::string::npos);
}

TEST(Npy, DimensionsAfterTheFirstAreFlattened) {
  const std::string data = bytes_of<double>({1, 2, 3, 4, 5, 6, 7, 8});
  const auto rows = read_npy(stream_of(npy(header("<f8", "(2, 2, 2)"), data)));
  EXPECT_EQ(rows, (RowMatrix<double>(2, 4) << 1, 2, 3, 4, 5, 6, 7, 8).finished());
}

TEST(Npy, ATruncatedFileNamesTheRow) {
  const std::string data = bytes_of<double>({1, 2, 3, 4, 5});
  EXPECT_EQ(refusal(npy(header("<f8", "(3, 2)"), data)),
            "row 2: the file is cut off: 3 rows need 48 bytes, but there are 40");
  EXPECT_EQ(refusal_of([&] { read_npy(pipe_of(npy(header("<f8", "(3, 2)"), data))); }),
            "row 2: the data end after 8 of its 16 bytes");
}

TEST(Npy, ATruncatedHeaderIsRefused) {
  const std::string whole = npy(header("<f8", "(3, 2)"), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  }
}

TEST(Npy, TypesThatAreNotRealNumbersAreRefusedByName) {
  for (const char* type : {"|O", "<c16", "<U3", "|S4", "<M8[ns]", "<f3", "<f", ""}) {
    EXPECT_NE(refusal(npy(header(type, "(3, 2)"), "")).find("only real numbers"), std::string::npos) << type;
  }
  EXPECT_NE(refusal(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", ""))
                .find("structured dtype"),
            std::string::npos);
}

TEST(Npy, AbsurdHeadersAreRefused) {
  EXPECT_NE(refusal(npy(header("<f8", "(4294967296, 4294967296)"), "")).find("more than 2^63 bytes"),
            std::string::npos);
  EXPECT_NE(refusal(npy(header("<f8", "(99999999999999999999, 2)"), "")).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f8", "(1000000000000, 2)"), "")).find("cut off"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f8", "(-3, 2)"), "")).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f8", "(0, 2)"), "")).find("no rows"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f8", "(3,)"), "")).find("1 dimensions"), std::string::npos);
  EXPECT_NE(refusal(npy(std::string(70000, ' '), "", 2)).find("70000 bytes long"), std::string::npos);
  EXPECT_NE(refusal(npy("", "")), "");
  EXPECT_NE(refusal(npy("{'descr': '<f8'}", "")), "");
}

}  // namespace
}  // namespace roipca::cli
