// SPDX-License-Identifier: BSL-1.0
//
// A wrapper of SQLite that throws sdk::Failure. It waits for a locked database until the call of
// the plugin is cancelled.
#pragma once

#include <tenon/sdk/base.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::builtin {

/// Returns a name quoted for SQL.
std::string quoted_name(std::string_view name);

/// Returns whether SQLite regards two names as equal: it ignores the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b) noexcept;

/// Returns the parameter `path` of a config: the path of a file, which need not exist. Throws
/// sdk::Failure.
std::string database_path(const sdk::Config& config);

class Database {
 public:
  enum class Mode { read, write };

  /// Opens a file; `write` creates it if it is missing. Throws sdk::Failure.
  Database(const std::string& path, Mode mode);
  /// Opens an empty database in memory. Throws sdk::Failure.
  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Sets the call whose cancellation ends waits for a lock.
  void set_call(sdk::Call call) noexcept { call_ = call; }
  /// Runs statements without results. Throws sdk::Failure.
  void run(const std::string& sql);
  /// Returns whether there is a table of that name. Throws sdk::Failure if something else, such as
  /// a view, has the name.
  bool has_table(std::string_view name);
  /// Returns the number of columns that a table may have.
  std::size_t max_columns() const noexcept;
  /// Returns the last error.
  sdk::Failure failure() const;

 private:
  friend class Statement;
  Database(std::string path, const char* file, int flags);
  static int wait_for_lock(void* self, int count) noexcept;

  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  sdk::Call call_{nullptr};
};

/// One prepared statement. Parameters count from 1, columns from 0. Throws sdk::Failure. `bind`
/// does not copy: the value must stay valid until the next `reset`.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text);
  /// Binds a copy of a text.
  void bind_copy(int parameter, std::string_view text);
  void bind(int parameter, BytesView bytes);
  void bind_null(int parameter);

  /// Moves to the next row. Returns false if there is none.
  bool step();
  /// Prepares the statement for new bindings and another run.
  void reset() noexcept;

  int columns() const noexcept;
  std::string column_name(int column) const;
  /// Returns SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL.
  int type(int column) const noexcept;
  std::int64_t integer(int column) const noexcept;
  double real(int column) const noexcept;
  /// Valid until the next step.
  std::string_view text(int column) const noexcept;

 private:
  void check(int result) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// A transaction that the destructor rolls back unless it was committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

/// A part of a transaction that the destructor rolls back unless it was released.
class Savepoint {
 public:
  explicit Savepoint(Database& database);
  ~Savepoint();
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;

  void release();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace tenon::builtin
