// SPDX-License-Identifier: BSL-1.0
//
// The PostgreSQL server of the tests, one for the whole program, on a Unix socket of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"
#include "framework/world.hpp"

namespace tenon::tests {

/// Returns the time limits for tests.
postgres::WaitLimits limits();

class Server {
 public:
  /// Returns the server, which the first call starts, or nullptr if none is installed.
  static Server* running();

  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Returns the connection string of a user, of the superuser by default.
  std::string url(std::string_view user = "postgres", std::string_view database = "postgres") const;
  /// Returns whether the server accepts connections.
  bool is_ready() const;

  /// Starts the server after it was stopped, and waits until it is ready.
  void start(std::string_view wal_level = "logical");
  /// Shuts the server down.
  void stop();
  /// Kills the server.
  void kill();

  postgres::Connection connect() const;
  /// Runs statements and returns the rows of the last one, each with its values between `|`.
  std::vector<std::string> rows(const std::string& sql) const;
  /// The same for one value.
  std::string value(const std::string& sql) const;
  /// Removes all tables.
  void clear() const;

 private:
  World world_;
  std::optional<Child> child_;
};

}  // namespace tenon::tests
