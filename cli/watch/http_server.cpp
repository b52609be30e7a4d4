#include "watch/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostClients = 256;
constexpr std::size_t kMostWaiting = std::size_t{4} << 20U;  // bytes for one client
constexpr auto kPatience = std::chrono::seconds(10);         // for a client that neither sends nor reads

[[noreturn]] void fail(const std::string& what) {
  throw FileError(what + ": " + std::system_category().message(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }

 private:
  int number_;
};

struct Client {
  Descriptor socket;
  std::string in = {};
  std::string out = {};  // bytes not yet sent
  bool is_answered = false;
  bool is_stream = false;
  bool is_gone = false;
  Clock::time_point progress = Clock::now();
};

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    default:
      return "Method Not Allowed";
  }
}

std::string head_of(const HttpResponse& response) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " + reason(response.status) +
                     "\r\nContent-Type: " + response.type +
                     "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: "
                     "no-referrer\r\nConnection: close\r\n" +
                     response.headers;
  if (!response.is_stream) head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  return head + "\r\n";
}

Descriptor listen_on(const std::string& host, int port, bool& is_loopback) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string where = host + ":" + std::to_string(port);
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
      error != 0) {
    throw FileError("cannot listen on " + where + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  Descriptor socket(
      ::socket(found->ai_family, found->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, found->ai_protocol));
  if (socket.number() < 0) fail("cannot listen on " + where);
  const int yes = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.number(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket.number(), 64) != 0) {
    fail("cannot listen on " + where);
  }
  if (found->ai_family == AF_INET) {
    sockaddr_in address = {};
    std::memcpy(&address, found->ai_addr, sizeof address);
    is_loopback = (ntohl(address.sin_addr.s_addr) >> 24U) == 127;
  } else {
    sockaddr_in6 address = {};
    std::memcpy(&address, found->ai_addr, std::min<std::size_t>(sizeof address, found->ai_addrlen));
    is_loopback = IN6_IS_ADDR_LOOPBACK(&address.sin6_addr) != 0;
  }
  return socket;
}

int port_of(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail("cannot listen");
  // The port is at the same offset in both kinds of address.
  sockaddr_in as_ipv4 = {};
  std::memcpy(&as_ipv4, &address, sizeof as_ipv4);
  return ntohs(as_ipv4.sin_port);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const std::string& host, int port, Handler handler)
      : handler_(std::move(handler)),
        listener_(listen_on(host, port, is_loopback_)),
        wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        port_(port_of(listener_.number())),
        thread_([this](const std::stop_token& stop) { work(stop); }) {}
  ~Impl() {
    thread_.request_stop();
    wake();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int port() const { return port_; }
  bool is_loopback() const { return is_loopback_; }
  int streams() const { return streams_; }

  void broadcast(const std::string& bytes) {
    {
      const std::scoped_lock lock(mutex_);
      if (streams_ > 0 && pending_.size() < kMostWaiting) pending_ += bytes;
    }
    wake();
  }

 private:
  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.number(), &one, sizeof one);
  }

  void work(const std::stop_token& stop) {
    heed(stop);
    std::vector<pollfd> waiting;
    while (!stop.stop_requested()) {
      waiting.assign({{wake_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}});
      for (const Client& client : clients_) {
        const int events = POLLIN | (client.out.empty() ? 0 : POLLOUT);
        waiting.push_back({client.socket.number(), static_cast<short>(events), 0});
      }
      ::poll(waiting.data(), waiting.size(), 1000);
      const std::size_t known = clients_.size();
      if ((waiting[0].revents & POLLIN) != 0) pass_on_broadcasts();
      for (std::size_t i = 0; i < known; ++i) serve(clients_[i], waiting[i + 2].revents);
      if ((waiting[1].revents & POLLIN) != 0) accept();
      std::erase_if(clients_, [](const Client& client) { return client.is_gone; });
      streams_ = static_cast<int>(std::count_if(clients_.begin(), clients_.end(),
                                                [](const Client& client) { return client.is_stream; }));
    }
  }

  void accept() {
    while (true) {
      Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.number() < 0) return;
      if (clients_.size() >= kMostClients) continue;  // the connection is closed at once
      clients_.push_back({.socket = std::move(socket)});
    }
  }

  void pass_on_broadcasts() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = ::read(wake_.number(), &count, sizeof count);
    std::string bytes;
    {
      const std::scoped_lock lock(mutex_);
      bytes.swap(pending_);
    }
    if (bytes.empty()) return;
    for (Client& client : clients_) {
      if (!client.is_stream) continue;
      if (client.out.empty()) client.progress = Clock::now();
      client.out += bytes;
      if (client.out.size() > kMostWaiting) client.is_gone = true;
    }
  }

  void serve(Client& client, int events) {
    if (client.is_gone) return;
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) receive(client);
    if (!client.is_gone && !client.out.empty()) send(client);
    const bool waits = !client.is_stream || !client.out.empty();
    if (waits && Clock::now() - client.progress > kPatience) client.is_gone = true;
  }

  void receive(Client& client) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(client.socket.number(), bytes.data(), bytes.size(), 0);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
      client.is_gone = true;
      return;
    }
    if (count < 0 || client.is_answered) return;  // anything after the first request is ignored
    client.in.append(bytes.data(), static_cast<std::size_t>(count));
    HttpRequest request;
    const ParsedRequest parsed = parse_request(client.in, request);
    if (parsed == ParsedRequest::kIncomplete) return;
    answer(client, parsed == ParsedRequest::kBad ? HttpResponse{.status = 400, .body = "bad request\n"}
                                                 : response_to(request));
    if (request.method == "HEAD") client.out.resize(client.out.find("\r\n\r\n") + 4);
  }

  HttpResponse response_to(const HttpRequest& request) const {
    if (request.method != "GET" && request.method != "HEAD") return {.status = 405, .body = "only GET\n"};
    return handler_(request);
  }

  void answer(Client& client, const HttpResponse& response) {
    client.in.clear();
    client.is_answered = true;
    client.is_stream = response.is_stream;
    client.out = head_of(response) + response.body;
    client.progress = Clock::now();
    if (client.is_stream) ++streams_;
  }

  void send(Client& client) {
    const ssize_t count = ::send(client.socket.number(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR) client.is_gone = true;
    if (count <= 0) return;
    client.progress = Clock::now();
    client.out.erase(0, static_cast<std::size_t>(count));
    if (client.out.empty() && client.is_answered && !client.is_stream) client.is_gone = true;
  }

  Handler handler_;
  bool is_loopback_ = false;
  Descriptor listener_;
  Descriptor wake_;
  int port_;
  std::vector<Client> clients_;  // used only by the server's thread
  std::atomic<int> streams_ = 0;
  std::mutex mutex_;
  std::string pending_;  // broadcast bytes not yet copied to the clients
  std::jthread thread_;  // last member, because the thread uses the others
};

HttpServer::HttpServer(const std::string& host, int port, Handler handler)
    : impl_(std::make_unique<Impl>(host, port, std::move(handler))) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return impl_->port(); }
bool HttpServer::is_loopback() const { return impl_->is_loopback(); }
void HttpServer::broadcast(const std::string& bytes) { impl_->broadcast(bytes); }
int HttpServer::streams() const { return impl_->streams(); }

}  // namespace roipca::cli
