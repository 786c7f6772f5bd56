// SPDX-License-Identifier: BSL-1.0
#include "failures.hpp"

#include <algorithm>
#include <utility>

namespace tenon::postgres {
namespace {

constexpr tenon_status later = TENON_UNAVAILABLE | TENON_RETRYABLE;

/// Returns the status of a SQLSTATE by its longest known prefix.
tenon_status status_of_state(std::string_view state) {
  constexpr std::pair<std::string_view, tenon_status> known[] = {
      {"0A", TENON_UNIMPLEMENTED},
      {"25006", later},  // a standby that was the primary server
      {"25P", later},    // the server ended an idle transaction
      {"28", TENON_UNAUTHENTICATED},
      {"3D", TENON_NOT_FOUND},  // a database
      {"3F", TENON_NOT_FOUND},  // a schema
      {"40", TENON_ABORTED | TENON_RETRYABLE},
      {"42601", TENON_INVALID_ARGUMENT},
      {"42602", TENON_INVALID_ARGUMENT},  // a name
      {"42501", TENON_PERMISSION_DENIED},
      {"42704", TENON_NOT_FOUND},  // a replication slot, a publication
      {"42703", TENON_NOT_FOUND},  // a column
      {"42P01", TENON_NOT_FOUND},  // a table
      {"42P10", TENON_FAILED_PRECONDITION},
      {"53", TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE},
      {"55006", later},  // another connection uses the replication slot
      {"55P03", later},  // a lock
      {"55", TENON_FAILED_PRECONDITION},
      {"57", later},  // the server starts up, shuts down or cancels
      {"08", later},
      {"21", TENON_INVALID_ARGUMENT},
      {"22", TENON_INVALID_ARGUMENT},
      {"23", TENON_INVALID_ARGUMENT},
      {"XX", TENON_DATA_LOSS},
  };
  if (state.empty()) return later;
  for (const auto& [prefix, status] : known) {
    if (state.compare(0, prefix.size(), prefix) == 0) return status;
  }
  return TENON_UNKNOWN;
}

std::string_view fix_of_state(std::string_view state) {
  if (state.compare(0, 2, "28") == 0) return "; fix: set the right user and password in \"url\"";
  if (state == "3D000") return "; fix: create the database or name another one in \"url\"";
  if (state == "3F000") return "; fix: create the schema or name another one in \"table\"";
  if (state == "42501") return "; fix: grant the permission to the user in \"url\"";
  return "";
}

std::string_view field_of(const PGresult* result, char field) {
  const char* text = PQresultErrorField(result, field);
  return text != nullptr ? text : "";
}

/// Returns the first line. The further lines of libpq's messages are general advice.
std::string_view first_line(std::string_view message) {
  return message.substr(0, message.find('\n'));
}

std::string message_of(const PGresult* result) {
  const std::string_view primary = field_of(result, PG_DIAG_MESSAGE_PRIMARY);
  if (primary.empty()) return std::string(first_line(PQresultErrorMessage(result)));
  std::string message(primary);
  for (const char field : {PG_DIAG_MESSAGE_DETAIL, PG_DIAG_MESSAGE_HINT}) {
    if (const std::string_view more = field_of(result, field); !more.empty()) {
      message += sdk::text(": ", more);
    }
  }
  return message;
}

bool is_state(std::string_view text) {
  return text.size() == 5 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

}  // namespace

ServerError::ServerError(std::string_view action, std::string state, std::string_view message)
    : Failure(status_of_state(state), action, ": ", message, fix_of_state(state)),
      state_(std::move(state)) {}

ServerError::ServerError(std::string_view action, const PGresult* result)
    : ServerError(action, std::string(field_of(result, PG_DIAG_SQLSTATE)), message_of(result)) {
  constraint_ = field_of(result, PG_DIAG_CONSTRAINT_NAME);
}

bool ServerError::is_of_row() const {
  constexpr std::string_view classes[] = {"21", "22", "23", "44", "54", "P0"};
  constexpr std::string_view states[] = {"42804", "42846", "428C9"};
  return std::any_of(std::begin(classes), std::end(classes),
                     [&](std::string_view first) { return has_class(first); }) ||
         std::find(std::begin(states), std::end(states), state_) != std::end(states);
}

// libpq returns the SQLSTATE of a refused connection only in its verbose message:
// "...FATAL:  28P01: password authentication failed\nLOCATION: ..."
ServerError connect_failure(PGconn* connection) {
  constexpr std::string_view action = "cannot connect to the server";
  const std::string_view message = PQerrorMessage(connection);
  for (std::size_t at = message.rfind(":  "); at != message.npos && at > 0;
       at = message.rfind(":  ", at - 1)) {
    const std::string_view rest = message.substr(at + 3);
    if (!is_state(rest.substr(0, 5)) || rest.substr(5, 2) != ": ") continue;
    const std::string_view reason = rest.substr(7, rest.find('\n') - 7);
    return ServerError(action, std::string(rest.substr(0, 5)), reason);
  }
  if (PQconnectionNeedsPassword(connection) != 0) {
    return ServerError(action, "28P01", "the server requires a password, but \"url\" has none");
  }
  return ServerError(action, "", first_line(message));
}

}  // namespace tenon::postgres
