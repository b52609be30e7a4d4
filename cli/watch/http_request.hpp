/// The head of an HTTP request.
#pragma once

#include <string>
#include <string_view>

namespace roipca::cli {

struct HttpRequest {
  std::string method;
  std::string path;   ///< without the query
  std::string query;  ///< after the question mark
  std::string host;   ///< of the header Host, without the port
};

enum class ParsedRequest { kIncomplete, kBad, kDone };

/// Maximum size of a request's head; longer ones are invalid.
inline constexpr std::size_t kMostRequestBytes = 8192;

/// Parses the bytes that a client has sent so far. Accepts any bytes.
ParsedRequest parse_request(std::string_view bytes, HttpRequest& request);

/// Returns the value of a query parameter, or an empty text if it is absent. Values are not decoded.
std::string_view query_value(std::string_view query, std::string_view name);

}  // namespace roipca::cli
