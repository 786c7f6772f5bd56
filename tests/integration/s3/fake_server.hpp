// SPDX-License-Identifier: BSL-1.0
//
// An HTTP server that a test controls: it sends one text for each request, and closes the
// connection.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tenon::tests {

class FakeServer {
 public:
  /// Gets the first line of a request and returns the whole response. If that is empty, nothing is
  /// sent, and the connection stays open until the server is destroyed.
  using Respond = std::function<std::string(const std::string& request)>;

  explicit FakeServer(Respond respond);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Returns the first lines of all requests so far, without the HTTP version.
  std::vector<std::string> requests() const;
  /// Returns all requests so far with their headers, without their bodies.
  std::vector<std::string> heads() const;

 private:
  void serve();
  void serve(int connection);

  const Respond respond_;
  int listening_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<std::string> heads_;
  std::vector<int> held_;
  std::thread thread_;
};

/// Returns an HTTP response with a body and its length.
std::string http(const std::string& status, const std::string& body,
                 const std::string& headers = "");

}  // namespace tenon::tests
