// Prints which library a program uses, for a report of a problem.
#include <cassert>
#include <cstdio>
#include <roipca/build_info.hpp>
#include <string>

int main() {
  const std::string version(roipca::version());
  const std::string instructions(roipca::instruction_set());
  std::printf("roipca %s, %s\n", version.c_str(), instructions.c_str());
  assert(version.starts_with("0.") && !instructions.empty());
}
