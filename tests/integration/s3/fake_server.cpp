// SPDX-License-Identifier: BSL-1.0
#include "fake_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tenon::tests {
namespace {

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Returns the value of a header in a request, or an empty text if there is none. `name` is in
/// lower case.
std::string header(std::string request, const std::string& name) {
  std::transform(request.begin(), request.end(), request.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t found = request.find("\r\n" + name + ": ");
  if (found == std::string::npos) return {};
  const std::size_t begin = found + name.size() + 4;
  return request.substr(begin, request.find('\r', begin) - begin);
}

/// Reads a request with its body. Returns an empty text at the end of the connection.
std::string read_request(int connection) {
  std::string request;
  std::size_t end = std::string::npos;
  char room[64 * 1024];
  for (std::size_t size = 0; end == std::string::npos || request.size() < end + size;) {
    const ssize_t count = recv(connection, room, sizeof room, 0);
    if (count <= 0) return {};
    request.append(room, static_cast<std::size_t>(count));
    if (end != std::string::npos) continue;
    end = request.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    end += 4;
    const std::string head = request.substr(0, end);
    size = static_cast<std::size_t>(std::atoll(header(head, "content-length").c_str()));
    if (!header(head, "expect").empty()) send_all(connection, "HTTP/1.1 100 Continue\r\n\r\n");
  }
  return request;
}

}  // namespace

FakeServer::FakeServer(Respond respond) : respond_(std::move(respond)) {
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (bind(listening_, raw, size) != 0 || listen(listening_, 16) != 0 ||
      getsockname(listening_, raw, &size) != 0) {
    throw std::runtime_error("the peer cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FakeServer::~FakeServer() {
  shutdown(listening_, SHUT_RDWR);  // ends accept
  thread_.join();
  close(listening_);
  for (const int connection : held_) close(connection);
}

std::vector<std::string> FakeServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> FakeServer::heads() const {
  const std::lock_guard lock(mutex_);
  return heads_;
}

void FakeServer::serve() {
  for (;;) {
    const int connection = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    serve(connection);
  }
}

void FakeServer::serve(int connection) {
  const std::string request = read_request(connection);
  const std::string line = request.substr(0, request.find(" HTTP/"));
  if (!line.empty()) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(line);
    heads_.push_back(request.substr(0, request.find("\r\n\r\n") + 2));
  }
  const std::string response = respond_(line);
  if (response.empty()) {
    held_.push_back(connection);
    return;
  }
  send_all(connection, response);
  close(connection);
}

std::string http(const std::string& status, const std::string& body, const std::string& headers) {
  return "HTTP/1.1 " + status +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

}  // namespace tenon::tests
