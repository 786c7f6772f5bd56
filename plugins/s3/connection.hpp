// SPDX-License-Identifier: BSL-1.0
//
// Handles of libcurl. Each keeps the connection that it had, so that the next request needs no new
// one.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <mutex>
#include <vector>

namespace tenon::s3 {

/// What one request at a time runs on.
struct Connection {
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  CURLM* const multi;
  CURL* const easy;
};

/// Connections that are not in use. May be used on several threads at once.
class Connections {
 public:
  std::unique_ptr<Connection> take();
  void give_back(std::unique_ptr<Connection> connection);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace tenon::s3
