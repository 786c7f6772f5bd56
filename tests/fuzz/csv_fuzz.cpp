// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes as a file to the readers of lines and of CSV. The lines must add up to the file after
// its byte order mark, rows must round-trip, and reading from the offset of a row must return the
// same following rows.
#include <tenon/sdk/failure.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "builtin/csv.hpp"
#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon::builtin;
using tenon::fuzzing::require;

/// A row, and the position of the next one.
struct Row {
  CsvRow fields;
  std::int64_t offset;
  std::int64_t line;
};

/// Returns all rows up to the end or to invalid CSV, which sets `failed`.
std::vector<Row> read_rows(Lines& lines, bool& failed) {
  std::vector<Row> rows;
  failed = false;
  try {
    for (CsvRow fields; read_csv_row(lines, fields);) {
      require(!fields.empty());
      rows.push_back({fields, lines.offset(), lines.line()});
    }
  } catch (const tenon::sdk::Failure& failure) {
    failed = true;
    const bool known =
        failure.status() == TENON_DATA_LOSS || failure.status() == TENON_INVALID_ARGUMENT;
    require(known && failure.message().find(lines.path() + ":") != std::string::npos);
  }
  return rows;
}

bool same(const std::vector<Row>& a, std::size_t from, const std::vector<Row>& b) {
  return std::equal(a.begin() + static_cast<std::ptrdiff_t>(from), a.end(), b.begin(), b.end(),
                    [](const Row& x, const Row& y) {
                      return x.fields == y.fields && x.offset == y.offset && x.line == y.line;
                    });
}

void check_lines(const std::string& path, std::string_view text) {
  Lines lines(path);
  std::string all(text.substr(0, text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0));
  for (std::string_view line; lines.next(line);) {
    all.append(line).append(lines.ends_with_newline() ? "\n" : "");
    require(lines.offset() == static_cast<std::int64_t>(all.size()));
  }
  require(all == text);
}

std::string written(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    append_csv_row(text, row.fields);
  }
  return text;
}

void check_rest(const std::string& path, const std::vector<Row>& rows, bool failed) {
  // Tests only some of many rows.
  const std::size_t step = 1 + rows.size() / 8;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    Lines lines(path);
    lines.seek(rows[i].offset, rows[i].line);
    bool again = false;
    require(same(rows, i + 1, read_rows(lines, again)) && again == failed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tenon::fuzzing::Directory directory;
  const auto text = tenon::fuzzing::text_of(data, size);
  const std::string path = directory.write("table.csv", text);
  check_lines(path, text);
  bool failed = false;
  Lines lines(path);
  const std::vector<Row> rows = read_rows(lines, failed);
  check_rest(path, rows, failed);
  Lines rewritten(directory.write("written.csv", written(rows)));
  const std::vector<Row> again = read_rows(rewritten, failed);
  require(!failed && again.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) require(again[i].fields == rows[i].fields);
  return 0;
}
