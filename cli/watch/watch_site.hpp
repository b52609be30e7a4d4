/// The page of `roipca watch`, its events and its log.
#pragma once

#include <string>
#include <thread>

#include "watch/http_server.hpp"
#include "watch/watch_state.hpp"

namespace roipca::cli {

/// Serves the page from its construction on, and what changed in `state` several times a second to all who
/// have it open. Others than this machine, if the address lets them in at all, need the token in `address()`.
class WatchSite {
 public:
  /// `state` must live longer. Throws FileError.
  WatchSite(WatchState& state, const std::string& host, int port);

  /// Where to open the page.
  const std::string& address() const { return address_; }

 private:
  HttpResponse answer(const HttpRequest& request);
  void publish(const std::stop_token& stop);

  WatchState& state_;
  std::string token_;
  std::string address_;
  HttpServer server_;
  std::jthread publisher_;  // last: it uses all of the above
};

}  // namespace roipca::cli
