#include "progress.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "notes.hpp"

namespace roipca::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{200};

std::string short_number(double value) {
  std::array<char, 32> text{};
  if (value >= 1e6) {
    std::snprintf(text.data(), text.size(), "%.1fM", value / 1e6);
  } else if (value >= 1e4) {
    std::snprintf(text.data(), text.size(), "%.0fk", value / 1e3);
  } else {
    std::snprintf(text.data(), text.size(), "%.0f", value);
  }
  return text.data();
}

std::string duration(double seconds) {
  const auto whole = std::llround(seconds);
  std::array<char, 32> text{};
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", whole / 60, whole % 60);
  }
  return text.data();
}

}  // namespace

Progress::Progress(std::string label)
    : label_(std::move(label)), shown_(!is_quiet() && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (has_line_) std::fputs("\r\033[K", stderr);
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::update(std::int64_t rows, std::optional<double> fraction, RareReading* result) {
  const auto now = Clock::now();
  if (!shown_ || now - last_line_ < kBetweenLines) return;
  last_line_ = now;
  const double elapsed = seconds();
  std::string line = label_ + short_number(static_cast<double>(rows)) + " rows, " +
                     short_number(static_cast<double>(rows) / elapsed) + " rows/s";
  if (fraction && *fraction > 0.0) {
    line += ", " + std::to_string(static_cast<int>(100.0 * *fraction)) + " %, " +
            duration(elapsed * (1.0 - *fraction) / *fraction) + " left";
  }
  if (result != nullptr && !result->text().empty()) line += ", " + result->text();
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  has_line_ = true;
}

}  // namespace roipca::cli
