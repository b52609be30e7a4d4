#include "report/plot.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace roipca::cli {
namespace {

constexpr double kWidth = 640.0;
constexpr double kLeft = 72.0;
constexpr double kBottom = 24.0;
constexpr double kTop = 8.0;

std::string number(double value, const char* format = "%.4g") {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string coordinate(double value) { return number(value, "%.2f"); }

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor + "\">" +
         text + "</text>";
}

// Where values are on the paper.
class Frame {
 public:
  Frame(double height, double low, double high, Index count)
      : height_(height), low_(low), high_(high > low ? high : low + 1.0), count_(std::max<Index>(count, 1)) {}

  // The middle of the i-th of `count` places.
  double x(double i) const { return kLeft + (i + 0.5) * step(); }
  double y(double value) const {
    return kTop + (height_ - kTop - kBottom) * (high_ - value) / (high_ - low_);
  }
  double step() const { return (kWidth - kLeft) / static_cast<double>(count_); }

  std::string draw(const std::string& label, const std::string& content) const {
    const std::string size = coordinate(kWidth) + " " + coordinate(height_);
    const std::string base = coordinate(y(std::max(low_, 0.0)));
    return "<svg role=\"img\" aria-label=\"" + label + "\" viewBox=\"0 0 " + size + "\">" +
           "<path class=\"axis\" d=\"M" + coordinate(kLeft) + " " + coordinate(kTop) + "V" +
           coordinate(height_ - kBottom) + "M" + coordinate(kLeft) + " " + base + "H" + coordinate(kWidth) +
           "\"/>" + text_at(kLeft - 6, y(high_) + 8, "end", number(high_)) +
           text_at(kLeft - 6, y(low_), "end", number(low_)) + text_at(x(0), height_ - 6, "middle", "1") +
           (count_ > 1 ? last_label() : std::string()) + content + "</svg>";
  }

 private:
  // Under its place where there is room, so that it does not stick out.
  std::string last_label() const {
    constexpr double kRoom = 30.0;
    const char* const anchor = step() > kRoom ? "middle" : "end";
    return text_at(x(static_cast<double>(count_ - 1)), height_ - 6, anchor, std::to_string(count_));
  }

  double height_;
  double low_;
  double high_;
  Index count_;
};

std::string point(const Frame& frame, double i, double value) {
  return coordinate(frame.x(i)) + " " + coordinate(frame.y(value));
}

}  // namespace

std::string bar_plot(const Vector<double>& values, const std::string& label) {
  const Frame frame(240.0, 0.0, values.maxCoeff(), values.size());
  std::string bars;
  for (Index i = 0; i < values.size(); ++i) {
    const double top = frame.y(values[i]);
    bars += "<rect class=\"bar\" x=\"" + coordinate(frame.x(static_cast<double>(i)) - 0.4 * frame.step()) +
            "\" y=\"" + coordinate(top) + "\" width=\"" + coordinate(0.8 * frame.step()) + "\" height=\"" +
            coordinate(frame.y(0.0) - top) + "\"><title>" + std::to_string(i + 1) + ": " + number(values[i]) +
            "</title></rect>";
  }
  return frame.draw(label, bars);
}

std::string rising_plot(const Vector<double>& values, double top, const std::string& label) {
  const Frame frame(240.0, 0.0, top, values.size());
  std::string line;
  std::string dots;
  for (Index i = 0; i < values.size(); ++i) {
    const auto place = static_cast<double>(i);
    line += i == 0 ? 'M' : 'L';
    line += point(frame, place, values[i]);
    dots += "<circle class=\"dot\" cx=\"" + coordinate(frame.x(place)) + "\" cy=\"" +
            coordinate(frame.y(values[i])) + "\" r=\"3\"><title>" + std::to_string(i + 1) + ": " +
            number(values[i]) + "</title></circle>";
  }
  return frame.draw(label, "<path class=\"line\" d=\"" + line + "\"/>" + dots);
}

std::string line_plot(const Vector<double>& values, const std::string& label) {
  const Index count = values.size();
  const double extent = std::max(values.cwiseAbs().maxCoeff(), 1e-300);
  const Frame frame(140.0, -extent, extent, count);
  const Index bins = std::min<Index>(count, static_cast<Index>(kWidth));
  std::string line;
  for (Index bin = 0; bin < bins; ++bin) {
    const Index first = bin * count / bins;
    const auto part = values.segment(first, (bin + 1) * count / bins - first);
    const auto place = static_cast<double>(first);
    line += bin == 0 ? 'M' : 'L';
    line += point(frame, place, part.maxCoeff());
    if (part.size() == 1) continue;
    line += 'L';
    line += point(frame, place, part.minCoeff());
  }
  return frame.draw(label, "<path class=\"line\" d=\"" + line + "\"/>");
}

}  // namespace roipca::cli
