#include "report/png.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace roipca::cli {
namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
          static_cast<char>(value)};
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(crc));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
               bytes.size()) != Z_OK) {
    throw std::runtime_error("a picture cannot be packed");
  }
  packed.resize(size);
  return packed;
}

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j) {
      group = group << 8U | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18U - 6U * j) & 63U] : '=';
    }
  }
  return text;
}

// Red, green and blue of a value between -1 and 1.
std::string colour(double value) {
  const auto fade = [&](double full) {
    return static_cast<char>(std::lround(255.0 - (255.0 - full) * std::abs(value)));
  };
  return value >= 0.0 ? std::string{fade(178), fade(24), fade(43)}
                      : std::string{fade(33), fade(102), fade(172)};
}

}  // namespace

std::string picture_address(const Vector<double>& values, Index height, Index width) {
  const double largest = std::max(values.cwiseAbs().maxCoeff(), 1e-300);
  std::string pixels;
  for (Index i = 0; i < height; ++i) {
    pixels += '\0';  // no filter
    for (Index j = 0; j < width; ++j) pixels += colour(values[i * width + j] / largest);
  }
  // 8 bits, RGB, no interlacing.
  const std::string head = big_endian(static_cast<std::uint32_t>(width)) +
                           big_endian(static_cast<std::uint32_t>(height)) + std::string("\x08\x02\0\0\0", 5);
  const std::string png =
      "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) + chunk("IDAT", deflated(pixels)) + chunk("IEND", "");
  return "data:image/png;base64," + base64(png);
}

}  // namespace roipca::cli
