#include "watch/watch_site.hpp"

#include <chrono>
#include <random>
#include <string_view>

#include "interrupt.hpp"
#include "report/assets.hpp"

namespace roipca::cli {
namespace {

using namespace std::chrono_literals;

// 128 random bits, for an address that cannot be guessed.
std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[random() % 16];
  return token;
}

bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;  // all bytes are compared, so that the time reveals nothing
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string page() {
  return std::string(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
             "dark\">\n<title>roipca watch</title>\n<style>") +
         kWatchStyle.text + "</style>\n</head>\n<body>\n<main></main>\n<script>" + kWatchScript.text +
         "</script>\n</body>\n</html>\n";
}

std::string event(const nlohmann::json& data, const char* name) {
  // Names of features may not be UTF-8.
  return std::string("event: ") + name +
         "\ndata: " + data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n\n";
}

}  // namespace

WatchSite::WatchSite(WatchState& state, const std::string& host, int port)
    : state_(state),
      token_(random_token()),
      server_(host, port, [this](const HttpRequest& request) { return answer(request); }),
      publisher_([this](const std::stop_token& stop) { publish(stop); }) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  address_ = "http://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(server_.port()) + "/";
  if (!server_.is_loopback()) address_ += "?token=" + token_;
}

HttpResponse WatchSite::answer(const HttpRequest& request) {
  // Prevents other web sites from reading the page through a host name that resolves to this machine.
  const bool is_allowed = server_.is_loopback() ? request.host == "127.0.0.1" ||
                                                      request.host == "localhost" || request.host == "[::1]"
                                                : is_same(query_value(request.query, "token"), token_);
  if (!is_allowed) return {.status = 403, .body = "use the address that roipca watch has printed\n"};
  if (request.path == "/") {
    return {
        .type = "text/html; charset=utf-8",
        .body = page(),
        .headers = std::string("Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action "
                               "'none'; frame-ancestors 'none'; connect-src 'self'; style-src ") +
                   kWatchStyle.hash + "; script-src " + kWatchScript.hash + "\r\n"};
  }
  if (request.path == "/events") {
    return {.type = "text/event-stream",
            .body = "retry: 1000\n" + event(state_.snapshot(), "all"),
            .is_stream = true};
  }
  if (request.path == "/alarms.csv") {
    return {.type = "text/csv; charset=utf-8",
            .body = state_.alarms_csv(),
            .headers = "Content-Disposition: attachment; filename=\"alarms.csv\"\r\n"};
  }
  return {.status = 404, .body = "no such page\n"};
}

void WatchSite::publish(const std::stop_token& stop) {
  heed(stop);
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(200ms);
    server_.broadcast(event(state_.changes(), "news"));
  }
}

}  // namespace roipca::cli
