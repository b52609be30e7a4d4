#include "watch/http_request.hpp"

#include <algorithm>
#include <cctype>

namespace roipca::cli {
namespace {

// Returns the text up to `end` and removes both. Takes all of the text if `end` does not occur.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::size_t place = text.find(end);
  const std::string_view taken = text.substr(0, place);
  text.remove_prefix(place == std::string_view::npos ? text.size() : place + end.size());
  return taken;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_called(std::string_view header, std::string_view name) {
  return std::equal(header.begin(), header.end(), name.begin(), name.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Removes the port from [::1]:80 and 127.0.0.1:80.
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || (host.starts_with('[') && host.ends_with(']'))) return host;
  return host.substr(0, colon);
}

}  // namespace

ParsedRequest parse_request(std::string_view bytes, HttpRequest& request) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return bytes.size() > kMostRequestBytes ? ParsedRequest::kBad : ParsedRequest::kIncomplete;
  }
  if (end > kMostRequestBytes) return ParsedRequest::kBad;
  std::string_view head = bytes.substr(0, end);
  std::string_view line = take_until(head, "\r\n");
  const std::string_view method = take_until(line, " ");
  std::string_view target = take_until(line, " ");
  if (method.empty() || !is_printable(method) || !target.starts_with('/') || !is_printable(target) ||
      !line.starts_with("HTTP/1.")) {
    return ParsedRequest::kBad;
  }
  request.method = method;
  request.path = take_until(target, "?");
  request.query = target;
  request.host.clear();
  while (!head.empty()) {
    std::string_view header = take_until(head, "\r\n");
    const std::string_view name = take_until(header, ":");
    if (is_called(name, "host")) request.host = without_port(trimmed(header));
  }
  return ParsedRequest::kDone;
}

std::string_view query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    std::string_view pair = take_until(query, "&");
    if (take_until(pair, "=") == name) return pair;
  }
  return {};
}

}  // namespace roipca::cli
