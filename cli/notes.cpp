#include "notes.hpp"

#include <cstdio>

namespace roipca::cli {
namespace {

bool quiet = false;

}  // namespace

void be_quiet() { quiet = true; }

bool is_quiet() { return quiet; }

void note(const std::string& text) {
  if (!quiet) std::fprintf(stderr, "roipca: %s\n", text.c_str());
}

}  // namespace roipca::cli
