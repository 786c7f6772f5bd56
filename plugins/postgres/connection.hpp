// SPDX-License-Identifier: BSL-1.0
//
// A connection to a server. Its functions use non-blocking I/O, so that they end as soon as the
// call is cancelled.
#pragma once

#include <tenon/sdk/call.hpp>

#include <libpq-fe.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "failures.hpp"

namespace tenon::postgres {

/// The limits of a wait. It ends when `call` is cancelled, when its deadline has passed, and when
/// the server has sent nothing for `timeout`.
struct WaitLimits {
  sdk::Call call;
  Duration timeout;
};

/// The rows of a query.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}

  int size() const { return PQntuples(result_.get()); }
  /// Returns a value as text; empty if it is null. Valid as long as the rows.
  std::string_view text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  bool is_true(int row, int column) const { return text(row, column) == "t"; }
  const PGresult* raw() const noexcept { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

/// A message of COPY.
class CopyData {
 public:
  CopyData(char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
  /// Returns the bytes. They stay valid if the message is moved.
  std::string_view bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* bytes) const noexcept { PQfreemem(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_;
};

/// A connection, used by one thread at a time. Functions throw sdk::Failure, mostly a ServerError.
/// After a failure other than a ServerError with a state, the connection must not be used again.
/// The server aborts the queries of a closed connection.
class Connection {
 public:
  using Parameters = std::vector<std::optional<std::string>>;
  enum class Protocol { sql, replication };

  /// Connects. `url` is a connection string of libpq.
  Connection(const std::string& url, const WaitLimits& limits, Protocol protocol = Protocol::sql);

  /// Runs statements, and returns the rows of the last one. `action` begins the messages.
  Rows run(const WaitLimits& limits, std::string_view action, const std::string& sql);
  /// Runs one statement with values for $1, $2, ...
  Rows run(const WaitLimits& limits, std::string_view action, const std::string& sql,
           const Parameters& parameters);

  /// Makes the text form of values independent of the settings of the user and the database.
  void fix_formats(const WaitLimits& limits, std::string_view action);

  /// Begins a query whose rows are read one at a time.
  void begin(std::string_view action, const std::string& sql, const Parameters& parameters);
  /// Returns the next row, or nothing after the last one.
  std::optional<Rows> next(const WaitLimits& limits, std::string_view action);

  /// Begins COPY ... FROM STDIN.
  void begin_copy(const WaitLimits& limits, std::string_view action, const std::string& sql);
  void put_copy(const WaitLimits& limits, std::string_view action, std::string_view bytes);
  void end_copy(const WaitLimits& limits, std::string_view action);

  /// Returns the next message of a copy from the server if it has arrived. Does not wait.
  std::optional<CopyData> take_copy(std::string_view action);
  /// Sends bytes of a copy without waiting. Later calls send unsent bytes and report errors.
  void try_put_copy(std::string_view bytes) noexcept;
  /// Ends a copy in both directions and discards what the server still sends, for at most `limit`.
  /// A connection that is closed with unread data is reset, and the server may lose sent bytes.
  void try_end_copy(std::chrono::milliseconds limit) noexcept;
  /// Waits until the server has sent something. Another thread may call `try_put_copy` meanwhile.
  void wait_for_input(const WaitLimits& limits) const;

 private:
  struct Close {
    void operator()(PGconn* handle) const noexcept { PQfinish(handle); }
  };

  void connect(const WaitLimits& limits);
  void send(std::string_view action, const std::string& sql, const Parameters& parameters);
  void check_sent(std::string_view action, int sent) const;
  /// Waits until the socket is ready for `events` of poll. Returns false after the timeout.
  bool wait(const WaitLimits& limits, short events) const;
  void wait_for_statement(const WaitLimits& limits, std::string_view action, short events) const;
  /// Sends buffered data, and waits until a result is complete.
  void receive(const WaitLimits& limits, std::string_view action);
  void flush(const WaitLimits& limits, std::string_view action);
  /// Reads all results and returns the last one. Throws the first error.
  Rows finish(const WaitLimits& limits, std::string_view action);

  std::unique_ptr<PGconn, Close> handle_;
};

/// Return a name and a text quoted for SQL: "people", 'Ann'.
std::string quoted_name(std::string_view name);
std::string quoted_text(std::string_view text);

}  // namespace tenon::postgres
