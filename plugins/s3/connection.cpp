// SPDX-License-Identifier: BSL-1.0
#include "connection.hpp"

#include <cstddef>
#include <new>
#include <utility>

namespace tenon::s3 {
namespace {

/// Maximum number of idle connections: the typical number of concurrent requests.
constexpr std::size_t max_idle = 8;

}  // namespace

Connection::Connection() : multi(curl_multi_init()), easy(curl_easy_init()) {
  if (multi != nullptr && easy != nullptr) return;
  curl_easy_cleanup(easy);
  curl_multi_cleanup(multi);
  throw std::bad_alloc();
}

Connection::~Connection() {
  curl_easy_cleanup(easy);
  curl_multi_cleanup(multi);
}

std::unique_ptr<Connection> Connections::take() {
  const sync::Lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Connection>();
  std::unique_ptr<Connection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void Connections::give_back(std::unique_ptr<Connection> connection) {
  curl_easy_reset(connection->easy);
  const sync::Lock lock(mutex_);
  if (idle_.size() < max_idle) idle_.push_back(std::move(connection));
}

}  // namespace tenon::s3
