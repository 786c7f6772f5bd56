// SPDX-License-Identifier: BSL-1.0
//
// Converts errors of the server and of the connection to failures of the plugin.
#pragma once

#include <tenon/sdk/failure.hpp>

#include <libpq-fe.h>

#include <string>
#include <string_view>

namespace tenon::postgres {

/// An error that the server reports, or the loss of the connection.
class ServerError : public sdk::Failure {
 public:
  /// Reads the error of a result. `action` begins the message, for example "cannot write people".
  ServerError(std::string_view action, const PGresult* result);
  /// `state` is the SQLSTATE, or empty if the connection failed without one.
  ServerError(std::string_view action, std::string state, std::string_view message);

  /// Returns the SQLSTATE, such as "23505"; empty if the connection failed without one.
  const std::string& state() const noexcept { return state_; }
  bool has_class(std::string_view first) const { return state_.compare(0, 2, first) == 0; }
  /// Returns the name of the violated constraint; empty if there is none.
  const std::string& constraint() const noexcept { return constraint_; }
  /// Returns whether the values of a row caused the error, and not the server or the table.
  bool is_of_row() const;

 private:
  std::string state_;
  std::string constraint_;
};

/// Returns the failure of an attempt to connect.
ServerError connect_failure(PGconn* connection);

}  // namespace tenon::postgres
