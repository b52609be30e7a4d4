#include <algorithm>
#include <stdexcept>

#include "fuzz/fuzzing.hpp"
#include "readers/binary.hpp"

// The first line is the format; the data follows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  const std::uint8_t* const end = std::find(data, data + size, '\n');
  const std::string format(reinterpret_cast<const char*>(data), static_cast<std::size_t>(end - data));
  const std::size_t start = std::min(size, format.size() + 1);
  return refusing([&] {
    try {
      const BinaryLayout layout = raw_layout(format);
      if (layout.columns > 100000) return;  // legal, but a block needs too much memory
      read_everything(*open_binary<double>(bytes_in_memory(data + start, size - start), layout));
    } catch (const std::invalid_argument&) {
      return;
    }
  });
}
