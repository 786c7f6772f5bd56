// SPDX-License-Identifier: BSL-1.0
#include "csv.hpp"

#include <tenon/sdk/failure.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

namespace tenon::builtin {
namespace {

// A file whose lines all end so would be one line, a header without rows.
constexpr std::string_view lone_return =
    "a carriage return that no newline follows and no quotes enclose; fix: end all lines with "
    "newlines, for example with `tr '\\r' '\\n'`";

/// Reads the next line that is not empty, and the lines into which its quoted fields continue. If a
/// quote is not closed, these are all to the end of the file. Returns the number of the first line;
/// 0 at the end.
std::int64_t read_text(Lines& lines, std::string& text) {
  std::string_view line;
  do {
    if (!lines.next(line)) return 0;
  } while (without_return(line).empty());
  text.assign(line);
  const std::int64_t first = lines.line();
  // A complete row has an even number of quotes: two around a field, and two for each inside.
  auto quotes = std::count(line.begin(), line.end(), '"');
  while (quotes % 2 != 0) {
    if (!lines.next(line)) break;
    text.append("\n").append(line);
    quotes += std::count(line.begin(), line.end(), '"');
  }
  text.resize(without_return(text).size());
  return first;
}

/// Moves the quoted field at the start of `rest` to `field`. Returns whether it is closed.
bool take_quoted(std::string_view& rest, std::string& field) {
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = std::min(rest.find('"'), rest.size());
    field.append(rest.substr(0, quote));
    rest.remove_prefix(quote);
    if (rest.empty()) return false;
    rest.remove_prefix(1);
    if (rest.empty() || rest.front() != '"') return true;
    field.push_back('"');
    rest.remove_prefix(1);
  }
}

std::string take_plain(std::string_view& rest) {
  std::size_t size = std::min(rest.find(','), rest.size());
  std::string field(rest.substr(0, size));
  rest.remove_prefix(size);
  return field;
}

void append_field(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos &&
      field.substr(0, byte_order_mark.size()) != byte_order_mark) {
    out.append(field);
    return;
  }
  out.push_back('"');
  for (char c : field) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace

bool read_csv_row(Lines& lines, CsvRow& row) {
  std::string text;
  const std::int64_t first_line = read_text(lines, text);
  if (first_line == 0) return false;
  const auto wrong = [&](std::string_view what, tenon_status status = TENON_INVALID_ARGUMENT) {
    return sdk::Failure(status, lines.path(), ":", first_line, ": ", what);
  };
  row.clear();
  std::string_view rest = text;
  for (;;) {
    const bool quoted = !rest.empty() && rest.front() == '"';
    std::string& field = row.emplace_back();
    if (quoted) {
      if (!take_quoted(rest, field)) throw wrong("a quote is never closed", TENON_DATA_LOSS);
    } else {
      field = take_plain(rest);
      if (field.find('"') != std::string::npos) {
        throw wrong("a quote inside a field that is not quoted");
      }
      if (field.find('\r') != std::string::npos) throw wrong(lone_return);
    }
    if (rest.empty()) return true;
    if (rest.front() == '\r') throw wrong(lone_return);
    if (rest.front() != ',') throw wrong("text after a closing quote");
    rest.remove_prefix(1);
  }
}

void check_csv_header(const Lines& lines, const CsvRow& row) {
  std::set<std::string_view> names;
  for (const std::string& name : row) {
    if (names.insert(name).second) continue;
    throw sdk::Failure(TENON_INVALID_ARGUMENT, lines.path(), ":", lines.line(),
                       ": the header has the name \"", name, "\" twice");
  }
}

void append_csv_row(std::string& out, const CsvRow& row) {
  const std::size_t begin = out.size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0) out.push_back(',');
    append_field(out, row[i]);
  }
  if (out.size() == begin) out.append("\"\"");  // readers skip empty lines
  out.push_back('\n');
}

}  // namespace tenon::builtin
