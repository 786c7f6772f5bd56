// SPDX-License-Identifier: BSL-1.0
#include "connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

namespace tenon::postgres {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::string quoted(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote) quoted.push_back(quote);
    quoted.push_back(c);
  }
  return quoted + quote;
}

ServerError silence() {
  return ServerError("cannot reach the server", "", "the server does not respond");
}

bool is_error(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

bool is_copy(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COPY_IN || status == PGRES_COPY_BOTH;
}

}  // namespace

Connection::Connection(const std::string& url, const WaitLimits& limits, Protocol protocol) {
  const char* const replication = protocol == Protocol::replication ? "database" : nullptr;
  const char* const names[] = {"dbname", "client_encoding", "fallback_application_name",
                               "replication", nullptr};
  const char* const values[] = {url.c_str(), "UTF8", "tenon", replication, nullptr};
  handle_.reset(PQconnectStartParams(names, values, 1));
  if (handle_ == nullptr) throw std::bad_alloc();
  PQsetErrorVerbosity(handle_.get(), PQERRORS_VERBOSE);
  PQsetNoticeReceiver(
      handle_.get(), [](void*, const PGresult*) {}, nullptr);
  connect(limits);
  PQsetnonblocking(handle_.get(), 1);
  if (protocol == Protocol::replication) return;
  constexpr std::string_view action = "cannot prepare the connection";
  run(limits, action, "SET standard_conforming_strings = on");
  // Since version 14, the server can check during a query whether the client is still connected.
  if (PQserverVersion(handle_.get()) < 140000) return;
  try {
    run(limits, action, "SET client_connection_check_interval = '1s'");
  } catch (const ServerError& error) {
    if (error.state() != "22023") throw;  // otherwise the system of the server cannot check it
  }
}

void Connection::connect(const WaitLimits& limits) {
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next != PGRES_POLLING_OK) {
    if (next == PGRES_POLLING_FAILED || PQstatus(handle_.get()) == CONNECTION_BAD) {
      throw connect_failure(handle_.get());
    }
    if (!wait(limits, next == PGRES_POLLING_READING ? POLLIN : POLLOUT)) throw silence();
    next = PQconnectPoll(handle_.get());
  }
}

bool Connection::wait(const WaitLimits& limits, short events) const {
  tenon_call* raw = limits.call.raw();
  const std::intptr_t cancellation = raw != nullptr ? raw->functions->wait_handle(raw) : -1;
  const Clock::time_point end = std::min(Clock::now() + limits.timeout,
                                         limits.call.deadline().value_or(Clock::time_point::max()));
  for (;;) {
    limits.call.check();
    milliseconds left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left <= milliseconds::zero()) return false;
    // Without a descriptor that reports a cancellation, the call is polled often.
    left = std::min(left, milliseconds(raw != nullptr && cancellation < 0 ? 50 : 60'000));
    pollfd sockets[] = {{PQsocket(handle_.get()), events, 0},
                        {static_cast<int>(cancellation), POLLIN, 0}};
    const int ready = poll(sockets, 2, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) throw sdk::system_failure(errno, "cannot wait for the server");
    if (ready > 0 && sockets[0].revents != 0) return true;
  }
}

void Connection::wait_for_input(const WaitLimits& limits) const {
  if (!wait(limits, POLLIN)) throw silence();
}

void Connection::wait_for_statement(const WaitLimits& limits, std::string_view action,
                                    short events) const {
  if (wait(limits, events)) return;
  throw ServerError(action, "",
                    sdk::text("the server has sent nothing for ",
                              std::chrono::duration_cast<milliseconds>(limits.timeout).count(),
                              " ms; fix: raise \"timeout\", or look for locks and missing indexes "
                              "(pg_stat_activity)"));
}

void Connection::flush(const WaitLimits& limits, std::string_view action) {
  while (PQflush(handle_.get()) == 1) {
    wait_for_statement(limits, action, POLLIN | POLLOUT);
    // The server may block until its messages are read.
    if (PQconsumeInput(handle_.get()) == 0) return;
  }
}

void Connection::receive(const WaitLimits& limits, std::string_view action) {
  flush(limits, action);
  while (PQisBusy(handle_.get()) != 0) {
    wait_for_statement(limits, action, POLLIN);
    // A server may send a last message before it closes the connection.
    if (PQconsumeInput(handle_.get()) == 0) return;
  }
}

void Connection::check_sent(std::string_view action, int sent) const {
  if (sent == 1) return;
  throw ServerError(action, "", PQerrorMessage(handle_.get()));
}

Rows Connection::finish(const WaitLimits& limits, std::string_view action) {
  Rows last(nullptr);
  std::optional<ServerError> error;
  for (;;) {
    receive(limits, action);
    Rows rows(PQgetResult(handle_.get()));
    if (rows.raw() == nullptr) break;
    if (is_error(rows.raw()) && !error) error.emplace(action, rows.raw());
    last = std::move(rows);
    if (is_copy(last.raw())) break;
  }
  if (error) throw ServerError(*error);
  return last;
}

Rows Connection::run(const WaitLimits& limits, std::string_view action, const std::string& sql) {
  check_sent(action, PQsendQuery(handle_.get(), sql.c_str()));
  return finish(limits, action);
}

Rows Connection::run(const WaitLimits& limits, std::string_view action, const std::string& sql,
                     const Parameters& parameters) {
  send(action, sql, parameters);
  return finish(limits, action);
}

void Connection::fix_formats(const WaitLimits& limits, std::string_view action) {
  run(limits, action,
      "SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET extra_float_digits = 3");
}

void Connection::send(std::string_view action, const std::string& sql,
                      const Parameters& parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto& value : parameters) values.push_back(value ? value->c_str() : nullptr);
  check_sent(action, PQsendQueryParams(handle_.get(), sql.c_str(), static_cast<int>(values.size()),
                                       nullptr, values.data(), nullptr, nullptr, 0));
}

void Connection::begin(std::string_view action, const std::string& sql,
                       const Parameters& parameters) {
  send(action, sql, parameters);
  PQsetSingleRowMode(handle_.get());
}

std::optional<Rows> Connection::next(const WaitLimits& limits, std::string_view action) {
  receive(limits, action);
  Rows row(PQgetResult(handle_.get()));
  if (row.raw() != nullptr && PQresultStatus(row.raw()) == PGRES_SINGLE_TUPLE) return row;
  finish(limits, action);
  if (row.raw() != nullptr && is_error(row.raw())) throw ServerError(action, row.raw());
  return std::nullopt;
}

void Connection::begin_copy(const WaitLimits& limits, std::string_view action,
                            const std::string& sql) {
  run(limits, action, sql);
}

void Connection::put_copy(const WaitLimits& limits, std::string_view action,
                          std::string_view bytes) {
  const int sent = PQputCopyData(handle_.get(), bytes.data(), static_cast<int>(bytes.size()));
  if (sent != 1) finish(limits, action);  // the server has ended the copy
  check_sent(action, sent);
  flush(limits, action);
}

void Connection::end_copy(const WaitLimits& limits, std::string_view action) {
  check_sent(action, PQputCopyEnd(handle_.get(), nullptr));
  finish(limits, action);
}

std::optional<CopyData> Connection::take_copy(std::string_view action) {
  char* bytes = nullptr;
  int size = PQgetCopyData(handle_.get(), &bytes, 1);
  if (size == 0) {
    const bool lost = PQconsumeInput(handle_.get()) == 0;
    size = PQgetCopyData(handle_.get(), &bytes, 1);
    if (size == 0 && lost) throw ServerError(action, "", PQerrorMessage(handle_.get()));
  }
  if (size > 0) return CopyData(bytes, static_cast<std::size_t>(size));
  if (size == 0) return std::nullopt;
  const Rows rows(PQgetResult(handle_.get()));
  if (rows.raw() != nullptr && is_error(rows.raw())) throw ServerError(action, rows.raw());
  throw ServerError(action, "", "the server has ended the copy");
}

void Connection::try_put_copy(std::string_view bytes) noexcept {
  PQputCopyData(handle_.get(), bytes.data(), static_cast<int>(bytes.size()));
  PQflush(handle_.get());
}

void Connection::try_end_copy(milliseconds limit) noexcept {
  const Clock::time_point end = Clock::now() + limit;
  PQputCopyEnd(handle_.get(), nullptr);
  for (;;) {
    const int unsent = PQflush(handle_.get());
    if (unsent < 0 || PQconsumeInput(handle_.get()) == 0) return;
    char* bytes = nullptr;
    int size = 0;
    while ((size = PQgetCopyData(handle_.get(), &bytes, 1)) > 0) PQfreemem(bytes);
    if (size < 0) return;  // the server ends the copy after it has read everything
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left <= milliseconds::zero()) return;
    const short events = unsent > 0 ? POLLIN | POLLOUT : POLLIN;
    pollfd socket{PQsocket(handle_.get()), events, 0};
    poll(&socket, 1, static_cast<int>(left.count()));
  }
}

std::string quoted_name(std::string_view name) {
  return quoted(name, '"');
}

std::string quoted_text(std::string_view text) {
  return quoted(text, '\'');
}

}  // namespace tenon::postgres
