// SPDX-License-Identifier: BSL-1.0
#include "sqlite.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "path_parameter.hpp"

namespace tenon::builtin {
namespace {

tenon_status status_of_result(int result) {
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return TENON_UNAVAILABLE | TENON_RETRYABLE;
    case SQLITE_CANTOPEN:
      return TENON_NOT_FOUND;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return TENON_RESOURCE_EXHAUSTED;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return TENON_DATA_LOSS;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return TENON_PERMISSION_DENIED;
    case SQLITE_ERROR:  // mostly SQL that does not fit the tables
      return TENON_FAILED_PRECONDITION;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return TENON_INVALID_ARGUMENT;
    default:
      return TENON_UNKNOWN;
  }
}

}  // namespace

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + '"';
}

bool same_name(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() &&
         sqlite3_strnicmp(a.data(), b.data(), static_cast<int>(a.size())) == 0;
}

std::string database_path(const sdk::Config& config) {
  std::string path = path_parameter(config, "path");
  std::error_code ignored;
  if (std::filesystem::is_directory(std::filesystem::u8path(path), ignored)) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"path\" is \"", path,
                       "\", a directory, expected the path of a file");
  }
  return path;
}

// The path is made absolute because SQLite treats ":memory:" as memory and "file:..." as a URI.
Database::Database(const std::string& path, Mode mode)
    : Database(
          path, std::filesystem::absolute(std::filesystem::u8path(path)).u8string().c_str(),
          mode == Mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {}

Database::Database() : Database("SQLite", ":memory:", SQLITE_OPEN_READWRITE) {}

Database::Database(std::string path, const char* file, int flags) : path_(std::move(path)) {
  sqlite3* handle = nullptr;
  int result = sqlite3_open_v2(file, &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (result != SQLITE_OK) throw failure();
  sqlite3_busy_handler(handle, wait_for_lock, this);
}

Database::~Database() = default;

void Database::Close::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

int Database::wait_for_lock(void* self, int count) noexcept {
  tenon_call* call = static_cast<Database*>(self)->call_.raw();
  if (call == nullptr) return 0;
  tenon_duration pause = std::min(count, 50) * tenon_duration{1'000'000};
  return call->functions->wait(call, pause) == TENON_NOT_CANCELLED;
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw failure();
  }
}

bool Database::has_table(std::string_view name) {
  Statement find(*this,
                 "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND "
                 "type <> 'trigger'");
  find.bind(1, name);
  if (!find.step()) return false;
  if (find.text(0) == "table") return true;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, path_, ": \"", name,
                     "\" is not a table but of type ", find.text(0));
}

std::size_t Database::max_columns() const noexcept {
  return static_cast<std::size_t>(sqlite3_limit(handle_.get(), SQLITE_LIMIT_COLUMN, -1));
}

sdk::Failure Database::failure() const {
  sqlite3* handle = handle_.get();
  return sdk::Failure(status_of_result(sqlite3_errcode(handle)), path_, ": ",
                      sqlite3_errmsg(handle));
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle_.get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                           &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

void Statement::check(int result) const {
  if (result != SQLITE_OK) throw database_.failure();
}

void Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, parameter, value));
}

void Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(handle_, parameter, value));
}

void Statement::bind(int parameter, std::string_view text) {
  const char* data = text.data() != nullptr ? text.data() : "";
  check(sqlite3_bind_text64(handle_, parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_copy(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(handle_, parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}

void Statement::bind(int parameter, BytesView bytes) {
  const void* data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
  check(sqlite3_bind_blob64(handle_, parameter, data, bytes.size(), SQLITE_STATIC));
}

void Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(handle_, parameter));
}

bool Statement::step() {
  int result = sqlite3_step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  throw database_.failure();
}

void Statement::reset() noexcept {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

int Statement::columns() const noexcept {
  return sqlite3_column_count(handle_);
}

std::string Statement::column_name(int column) const {
  return sqlite3_column_name(handle_, column);
}

int Statement::type(int column) const noexcept {
  return sqlite3_column_type(handle_, column);
}

std::int64_t Statement::integer(int column) const noexcept {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const noexcept {
  return sqlite3_column_double(handle_, column);
}

std::string_view Statement::text(int column) const noexcept {
  // A blob is read as it is; a text may have to be converted from UTF-16.
  const void* data = type(column) == SQLITE_BLOB
                         ? sqlite3_column_blob(handle_, column)
                         : static_cast<const void*>(sqlite3_column_text(handle_, column));
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return {static_cast<const char*>(data), size};
}

Transaction::Transaction(Database& database) : database_(database) {
  database.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const sdk::Failure&) {
    // SQLite has already rolled back.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

Savepoint::Savepoint(Database& database) : database_(database) {
  database.run("SAVEPOINT part");
}

Savepoint::~Savepoint() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK TO part; RELEASE part");
  } catch (const sdk::Failure&) {
    // SQLite has already rolled back the transaction.
  }
}

void Savepoint::release() {
  database_.run("RELEASE part");
  open_ = false;
}

}  // namespace tenon::builtin
