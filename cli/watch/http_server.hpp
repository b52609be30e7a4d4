/// An HTTP server for one read-only page: GET requests and streams of server-sent events.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "watch/http_request.hpp"

namespace roipca::cli {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string headers = {};  ///< further headers, each ended by \r\n
  bool is_stream = false;    ///< whether broadcasts follow the body until the client disconnects
};

/// Answers requests in a separate thread, with one loop over all connections, so that a client costs a few
/// kilobytes and no thread. Memory is bounded: at most 256 clients, 8 KB per request, and 4 MB per client
/// that reads too slowly, which is then disconnected. A client that sends nothing for ten seconds is
/// disconnected as well.
///
/// (Debian's cpp-httplib is not used: it is a shared library that needs OpenSSL and brotli, which wheels
/// cannot bundle, and it takes one thread per open stream.)
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// Listens on an address and port (0: any free port). `handler` is called in the server's thread. Throws
  /// FileError.
  HttpServer(const std::string& host, int port, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// Whether only programs on this machine can connect.
  bool is_loopback() const;
  /// Appends bytes to every stream. Thread-safe; never waits for a client.
  void broadcast(const std::string& bytes);
  /// Number of clients that receive a stream.
  int streams() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace roipca::cli
