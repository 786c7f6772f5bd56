// SPDX-License-Identifier: BSL-1.0
//
// Handles of libcurl. Each handle keeps its connection open for the next request.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <mutex>
#include <vector>

namespace tenon::s3 {

/// The handles of libcurl for one request at a time.
struct Connection {
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  CURLM* const multi;
  CURL* const easy;
};

/// A pool of idle connections. Thread-safe.
class Connections {
 public:
  std::unique_ptr<Connection> take();
  void give_back(std::unique_ptr<Connection> connection);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace tenon::s3
