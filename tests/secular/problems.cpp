#include "problems.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace roipca::secular::testing {

double ProblemSource::uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine_);
}

double ProblemSource::normal() { return std::normal_distribution<double>()(engine_); }

double ProblemSource::over_decades(double low, double high) {
  const double magnitude = std::pow(10.0, uniform(low, high));
  return index(2) == 0 ? magnitude : -magnitude;
}

std::size_t ProblemSource::index(std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(engine_);
}

Problem ProblemSource::ordinary(std::size_t order) {
  Problem problem{std::vector<double>(order), std::vector<double>(order), 1.0};
  for (double& pole : problem.poles) pole = std::exp(2.0 * normal());
  for (double& entry : problem.z) entry = normal();
  std::sort(problem.poles.begin(), problem.poles.end(), std::greater<>());
  return problem;
}

Problem ProblemSource::next(std::size_t order) {
  Problem problem = ordinary(order);
  choose_poles(problem);
  std::sort(problem.poles.begin(), problem.poles.end(), std::greater<>());
  choose_z(problem);
  if (index(2) == 0) problem.rho = -1.0;
  if (index(4) == 0) problem.rho *= std::fabs(over_decades(-18.0, 18.0));
  choose_scale(problem);
  return problem;
}

void ProblemSource::choose_poles(Problem& problem) {
  std::vector<double>& poles = problem.poles;
  switch (index(10)) {
    case 0:  // all equal
      std::fill(poles.begin(), poles.end(), normal());
      break;
    case 1:  // a few distinct values, many ties
      for (double& pole : poles) pole = static_cast<double>(index(3));
      break;
    case 2:  // clusters a few units of rounding wide
      for (double& pole : poles)
        pole = static_cast<double>(1 + index(3)) * (1.0 + over_decades(-16.0, -10.0));
      break;
    case 3:  // over thirty decades
      for (double& pole : poles) pole = over_decades(-30.0, 0.0);
      break;
    case 4:  // of both signs
      for (double& pole : poles) pole = normal();
      break;
    case 5:  // the complement's pole mu at zero
      poles[index(poles.size())] = 0.0;
      break;
    case 6:  // mu equal to the last kept eigenvalue
      poles.front() = *std::min_element(poles.begin(), poles.end());
      break;
    case 7:  // evenly spaced, with gaps just above rounding
      for (std::size_t j = 0; j < poles.size(); ++j) poles[j] = 1.0 + 1e-13 * static_cast<double>(j);
      break;
    default:
      break;
  }
}

void ProblemSource::choose_z(Problem& problem) {
  std::vector<double>& z = problem.z;
  switch (index(9)) {
    case 0:  // nothing to add
      if (index(4) == 0) std::fill(z.begin(), z.end(), 0.0);
      break;
    case 1: {  // along one axis
      const std::size_t axis = index(z.size());
      for (std::size_t j = 0; j < z.size(); ++j) z[j] = j == axis ? 1.0 : 0.0;
      break;
    }
    case 2:  // the row lies inside the span
      z.back() = 0.0;
      break;
    case 3:  // weights over thirty decades
      for (double& entry : z) entry = over_decades(-30.0, 0.0);
      break;
    case 4:  // weights around the threshold of deflation
      for (double& entry : z) entry *= index(2) == 0 ? over_decades(-17.0, -14.0) : 1.0;
      break;
    case 5:  // some exactly zero
      for (double& entry : z) entry *= static_cast<double>(index(2));
      break;
    case 6:  // all tiny
      for (double& entry : z) entry *= 1e-9;
      break;
    default:
      break;
  }
}

void ProblemSource::choose_scale(Problem& problem) {
  if (index(2) == 0) return;
  // The root of the scale goes to z, so that poles and rho z z^T keep their proportion.
  const double root = std::fabs(over_decades(-75.0, 75.0));
  for (double& pole : problem.poles) pole = pole * root * root;
  for (double& entry : problem.z) entry *= root;
}

}  // namespace roipca::secular::testing
