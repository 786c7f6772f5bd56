// SPDX-License-Identifier: BSL-1.0
//
// Handles of libcurl. Each handle keeps its connection open for the next request.
#pragma once

#include <tenon/mutex.hpp>

#include <curl/curl.h>

#include <memory>
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
  sync::Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ TENON_GUARDED_BY(mutex_);
};

}  // namespace tenon::s3
