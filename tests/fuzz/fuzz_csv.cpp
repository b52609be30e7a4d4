#include "fuzz/fuzzing.hpp"
#include "readers/csv.hpp"

// The first byte selects the options, the rest of the first line the columns; the other lines are the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  if (size == 0) return 0;
  CsvOptions options;
  const std::uint8_t choice = *data++;
  --size;
  if ((choice & 1U) != 0) options.delimiter = ",;\t |x"[(choice >> 4U) % 6];
  if ((choice & 2U) != 0) options.header = (choice & 4U) != 0;
  if ((choice & 8U) != 0) {
    while (size > 0 && *data != '\n') {
      options.choice.columns += static_cast<char>(*data++);
      --size;
    }
    // Regular expressions are typed by the user, and are not what is tested here.
    if (options.choice.columns.find('/') != std::string::npos) return 0;
  }
  return refusing([&] { read_everything(*open_csv<double>(bytes_in_memory(data, size), options)); });
}
