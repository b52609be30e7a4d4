// Reads rows of numbers separated by blanks from standard input, one row a line, and prints how unusual each
// is for the components of the rows before it: Hotelling's T^2 and the squared prediction error.
//
//     seq 1000 | awk '{ print $1, 2 * $1 + $1 % 3, $1 % 7 }' | ./stream_from_stdin
#include <cstdio>
#include <iostream>
#include <roipca/roipca.hpp>
#include <sstream>
#include <string>
#include <vector>

int main() {
  roipca::OnlinePca<double> pca({.n_components = 2});
  std::size_t width = 0;
  long line_number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++line_number;
    std::istringstream words(line);
    std::vector<double> x;
    for (double number = 0.0; words >> number;) x.push_back(number);
    if (width == 0) width = x.size();
    if (x.empty() || x.size() != width || !words.eof()) {
      std::fprintf(stderr, "line %ld: expected %zu numbers\n", line_number, width);
      return 1;
    }
    const roipca::Rows<double> row(x.data(), 1, static_cast<roipca::Index>(width));
    if (line_number > 10) {
      const roipca::Model<double> model =
          pca.model();  // the rows so far; reading does not disturb the stream
      std::printf("%ld\t%g\t%g\n", line_number, model.t2(row)[0], model.spe(row)[0]);
    }
    try {
      pca.update(row.row(0));
    } catch (const roipca::DataError& error) {  // a NaN or an infinity; the estimator is as it was
      std::fprintf(stderr, "line %ld: %s\n", line_number, std::string(error.reason()).c_str());
      return 1;
    }
  }
}
