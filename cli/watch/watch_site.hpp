/// The web page of `roipca watch`, with its events and its log.
#pragma once

#include <string>
#include <thread>

#include "watch/http_server.hpp"
#include "watch/watch_state.hpp"

namespace roipca::cli {

/// Serves the page while the object lives, and sends changes of `state` to all open pages several times per
/// second. If the address can be reached from other machines, a client needs the token in address().
class WatchSite {
 public:
  /// `state` must outlive the object. Throws FileError.
  WatchSite(WatchState& state, const std::string& host, int port);

  /// The URL of the page.
  const std::string& address() const { return address_; }

 private:
  HttpResponse answer(const HttpRequest& request);
  void publish(const std::stop_token& stop);

  WatchState& state_;
  std::string token_;
  std::string address_;
  HttpServer server_;
  std::jthread publisher_;  // last member, because the thread uses the others
};

}  // namespace roipca::cli
