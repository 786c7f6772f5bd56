// SPDX-License-Identifier: BSL-1.0
//
// tenon-plain-pipeline file|sqlite IN OUT POSITION: copies lines of JSON objects from a file into
// another file or a table, with a hand-written loop. The baseline for tenon-pipeline: it makes the
// same checks, writes the same output, and saves its position in the same way.
#include <boost/json.hpp>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "builtin/json_text.hpp"
#include "platform/replace_file.hpp"

namespace tenon::bench { namespace {

constexpr std::size_t batch = 1000;
/// The number of records in flight, as in a pipeline.
constexpr std::size_t window = 10'000;

void require(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(what);
}

/// Appends lines to a file.
class FileOutput {
 public:
  explicit FileOutput(const char* path)
      : file_(::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    require(file_ >= 0, "cannot open the output");
  }
  ~FileOutput() { ::close(file_); }
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  void add(std::string_view line) {
    require(builtin::check_json(line).is_object, "not a JSON object");
    piece_.append(line).push_back('\n');
  }
  void end_batch() {
    const auto size = static_cast<ssize_t>(piece_.size());
    require(::write(file_, piece_.data(), piece_.size()) == size, "cannot write");
    piece_.clear();
  }
  void sync() { require(::fdatasync(file_) == 0, "cannot write"); }

 private:
  int file_;
  std::string piece_;
};

/// Inserts lines into a table with a column for each field of the first line.
class TableOutput {
 public:
  explicit TableOutput(const char* path) {
    require(sqlite3_open(path, &database_) == SQLITE_OK, "cannot open the database");
    run("PRAGMA synchronous = FULL");
  }
  ~TableOutput() {
    sqlite3_finalize(insert_);
    sqlite3_close(database_);
  }
  TableOutput(const TableOutput&) = delete;
  TableOutput& operator=(const TableOutput&) = delete;

  void add(std::string_view line) {
    boost::json::monotonic_resource memory(memory_);
    const auto value = boost::json::parse({line.data(), line.size()}, &memory);
    const boost::json::object& fields = value.as_object();
    if (insert_ == nullptr) make_table(fields);
    if (sqlite3_get_autocommit(database_) != 0) run("BEGIN IMMEDIATE");
    const std::string key = std::to_string(++count_);
    bind(1, key);
    int column = 2;
    for (const auto& field : fields) bind(column++, field.value());
    require(sqlite3_step(insert_) == SQLITE_DONE, "cannot insert");
    sqlite3_reset(insert_);
  }
  void end_batch() {
    if (sqlite3_get_autocommit(database_) == 0) run("COMMIT");
  }
  void sync() {}

 private:
  void run(const std::string& sql) {
    require(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK, "SQL");
  }
  void make_table(const boost::json::object& fields) {
    std::string names = "key TEXT PRIMARY KEY NOT NULL";
    std::string values = "?";
    for (const auto& field : fields) {
      names.append(", \"").append(field.key()).append("\"");
      values += ", ?";
    }
    run("CREATE TABLE records (" + names + ")");
    const std::string sql = "INSERT INTO records VALUES (" + values + ")";
    require(sqlite3_prepare_v2(database_, sql.c_str(), -1, &insert_, nullptr) == SQLITE_OK, "SQL");
  }
  void bind(int column, std::string_view text) {
    sqlite3_bind_text(insert_, column, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int column, const boost::json::value& value) {
    if (value.is_int64()) {
      sqlite3_bind_int64(insert_, column, value.get_int64());
    } else {
      const boost::json::string& text = value.as_string();
      bind(column, std::string_view(text.data(), text.size()));
    }
  }

  unsigned char memory_[1 << 12];
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::size_t count_ = 0;
};

template <class Output>
std::size_t copy(const char* in, const char* out, const char* position) {
  std::ifstream lines(in, std::ios::binary);
  Output output(out);
  const auto settle = [&](std::size_t count) {
    output.end_batch();
    output.sync();
    const std::string text = std::to_string(count) + "\n";
    const auto done = platform::replace_content(position, text, platform::Attributes::owner_only);
    require(!done.failed, "cannot save the position");
  };
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    output.add(line);
    if (++count % batch == 0) output.end_batch();
    if (count % window == 0) settle(count);
  }
  settle(count);
  return count;
}

}}  // namespace tenon::bench

int main(int count, char** arguments) try {
  if (count != 5) return 2;
  const std::string_view what = arguments[1];
  const auto copy = what == "file" ? tenon::bench::copy<tenon::bench::FileOutput>
                                   : tenon::bench::copy<tenon::bench::TableOutput>;
  std::cout << copy(arguments[2], arguments[3], arguments[4]) << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
