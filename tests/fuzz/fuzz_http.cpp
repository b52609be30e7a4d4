#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "watch/http_request.hpp"

// What a client has sent so far. A request that is complete stays the same, whatever follows it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  HttpRequest request;
  if (parse_request(bytes, request) != ParsedRequest::kDone) return 0;
  if (!request.path.starts_with('/') || request.path.find('?') != std::string::npos) std::abort();
  query_value(request.query, "token");
  const std::size_t head = bytes.find("\r\n\r\n") + 4;
  HttpRequest again;
  if (parse_request(bytes.substr(0, head), again) != ParsedRequest::kDone) std::abort();
  if (again.path != request.path || again.host != request.host) std::abort();
  return 0;
}
