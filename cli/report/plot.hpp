/// Plots as SVG, to stand in an HTML page.
#pragma once

#include <string>

#include "roipca/types.hpp"

namespace roipca::cli {

/// Bars from 0 to the largest value, numbered from 1.
std::string bar_plot(const Vector<double>& values, const std::string& label);

/// A line over 1, 2, ... between 0 and `top`, with a dot at each value.
std::string rising_plot(const Vector<double>& values, double top, const std::string& label);

/// A line around 0. More values than the plot is wide are drawn as the band between their extremes.
std::string line_plot(const Vector<double>& values, const std::string& label);

}  // namespace roipca::cli
