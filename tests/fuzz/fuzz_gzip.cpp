#include <vector>

#include "fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  return refusing([&] {
    const auto stream = unpacked(memory_stream(std::string(reinterpret_cast<const char*>(data), size)));
    std::vector<char> buffer(1 << 16);
    // A small file can decompress to a very large one: this reads it in parts, as a reader does.
    for (int i = 0; i < 64 && stream->read_fully(buffer) == buffer.size(); ++i) continue;
  });
}
