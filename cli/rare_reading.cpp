#include "rare_reading.hpp"

#include <algorithm>
#include <utility>

namespace roipca::cli {
namespace {

using Seconds = std::chrono::duration<double>;

// Seconds of other work per second of computing the text.
constexpr double kWorkPerReading = 99.0;
constexpr Seconds kLeast{1.0};  // minimum interval; nobody reads faster

RareReading::Clock::duration pause_after(Seconds cost) {
  return std::chrono::duration_cast<RareReading::Clock::duration>(std::max(kLeast, kWorkPerReading * cost));
}

}  // namespace

RareReading::RareReading(std::function<std::string()> compute, Seconds expected,
                         std::function<Clock::time_point()> now)
    : compute_(std::move(compute)), now_(std::move(now)), due_(now_() + pause_after(expected)) {}

const std::string& RareReading::text() {
  const auto start = now_();
  if (start < due_) return text_;
  text_ = compute_();
  const auto end = now_();
  due_ = end + pause_after(end - start);
  return text_;
}

}  // namespace roipca::cli
