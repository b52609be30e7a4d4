#include "fuzz/fuzzing.hpp"
#include "readers/json_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  return refusing([&] { read_everything(*open_json_lines<double>(bytes_in_memory(data, size), {})); });
}
