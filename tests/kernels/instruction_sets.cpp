// Prints the instruction sets that ROIPCA_ISA may name on this machine, one per line.
#include <cstdio>

#include "kernels/kernels.hpp"

int main() {
  for (const roipca::kernels::Kernels* kernels : roipca::kernels::available()) std::puts(kernels->name);
}
