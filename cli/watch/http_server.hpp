/// A server for one read-only page: GET requests, and streams of server-sent events.
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
  std::string headers = {};  ///< more of them, each ended by \r\n
  bool is_stream = false;    ///< the body is followed by what is broadcast, until the client leaves
};

/// Answers requests in a thread of its own, by one loop over all connections: a client costs a few kilobytes
/// and no thread. Memory is bounded: at most 256 clients, requests of 8 KB, and 4 MB for a client that reads
/// too slowly, which is then dropped. A client that sends nothing for ten seconds is dropped as well.
///
/// (Written here because Debian's cpp-httplib is a shared library that needs OpenSSL and brotli, which wheels
/// cannot bring along, and takes a thread for every open stream.)
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// Listens on an address and a port (0: any that is free). `handler` is called from the server's thread.
  /// Throws FileError.
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
