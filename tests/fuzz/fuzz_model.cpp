#include "io/checksum.hpp"
#include "io/example_model.hpp"
#include "io/model_header.hpp"

// Most inputs would fail at the checksum; so it is corrected first, as a forger would.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::io;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t place = 8 + kChecksumOffset;
  if (size >= place + kChecksumDigits) {
    bytes.replace(place, kChecksumDigits, kChecksumDigits, '0');
    Crc64 checksum;
    checksum.add(std::as_bytes(std::span(bytes)));
    bytes.replace(place, kChecksumDigits, checksum.hex());
  }
  try {
    MemorySource source(std::as_bytes(std::span(bytes)));
    decode_any(source);
  } catch (const roipca::FileError&) {
    return 0;
  }
  return 0;
}
