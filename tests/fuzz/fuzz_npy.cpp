#include "fuzz/fuzzing.hpp"
#include "readers/binary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  return refusing([&] {
    auto stream = bytes_in_memory(data, size);
    const BinaryLayout layout = read_npy_header(*stream);
    read_everything(*open_binary<float>(std::move(stream), layout));
  });
}
