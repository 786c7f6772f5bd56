// SPDX-License-Identifier: BSL-1.0
#include "text.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <utility>

#include "platform/program.hpp"

namespace tenon::command {
namespace {

std::optional<bool> colours_set;

}  // namespace

void Paint::set_colours(bool always) noexcept {
  colours_set = always;
}

Paint Paint::for_stream(int descriptor) {
  if (colours_set) return Paint(*colours_set);
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return Paint((refused == nullptr || *refused == '\0') && terminal != nullptr &&
               std::string_view(terminal) != "dumb" && platform::is_terminal(descriptor));
}

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  if (!colours_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Paint::of(Severity severity, std::string_view text) const {
  switch (severity) {
    case Severity::error:
      break;
    case Severity::warning:
      return warning(text);
    case Severity::note:
      return std::string(text);
  }
  return bad(text);
}

std::string Paint::problem(const Error& error) const {
  const std::string text = error.to_string();
  const auto end_of_code = text.find(']') + 1;
  return of(error.severity(), text.substr(0, end_of_code)) + text.substr(end_of_code);
}

bool any_error(const std::vector<Error>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Error& problem) { return problem.severity() == Severity::error; });
}

std::size_t width_of(std::string_view text) {
  // Continuation bytes of UTF-8 begin with the bits 10.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

std::size_t columns_of(int descriptor) {
  const std::size_t columns = platform::terminal_columns(descriptor);
  return columns != 0 ? columns : std::numeric_limits<std::size_t>::max();
}

void Table::add(std::string_view cell) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  const std::size_t begin = text_.size();
  std::size_t width = cell.size();
  if (std::ranges::all_of(cell, is_plain)) {
    text_.append(cell);
  } else {
    text_.append(escaped_for_display(cell));
    width = width_of(std::string_view(text_).substr(begin));
  }
  const std::size_t column = cells_.size() - begin_of(rows());
  cells_.push_back({begin, text_.size() - begin, width});
  widths_.resize(std::max(widths_.size(), column + 1));
  widths_[column] = std::max(widths_[column], width);
}

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  return text_of(cells_[begin_of(row) + column]);
}

std::string Table::line(std::size_t row) const {
  std::string line;
  line.reserve(width() + 3);
  for (std::size_t i = begin_of(row); i < ends_[row]; ++i) {
    const std::size_t width = widths_[i - begin_of(row)];
    line.append(text_of(cells_[i])).append(width - cells_[i].width + 2, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line += '\n';
}

std::size_t Table::width() const {
  std::size_t width = 0;
  for (const std::size_t column : widths_) width += (width > 0 ? 2 : 0) + column;
  return width;
}

std::vector<std::string> aligned(const std::vector<Row>& rows) {
  Table table;
  for (const Row& row : rows) {
    for (const std::string& cell : row) table.add(cell);
    table.end_row();
  }
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < table.rows(); ++row) lines.push_back(table.line(row));
  return lines;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  constexpr std::string_view units[] = {" kB", " MB", " GB", " TB"};
  std::uint64_t size = 1000;  // of one unit
  std::size_t unit = 0;
  while (bytes >= size * 1000 - size / 2 && unit + 1 < std::size(units)) {
    size *= 1000;
    ++unit;
  }
  const std::uint64_t tenths = (bytes + size / 20) / (size / 10);
  std::string number = std::to_string(tenths < 100 ? tenths / 10 : (bytes + size / 2) / size);
  if (tenths < 100 && tenths % 10 != 0) number += "." + std::to_string(tenths % 10);
  return number.append(units[unit]);
}

std::string mode_text(const FileOwner& owner) {
  std::string text = "0000";
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[text.size() - 1 - i] = static_cast<char>('0' + (owner.mode >> (3 * i) & 7U));
  }
  return text;
}

void print_problems(const std::vector<Error>& problems) {
  for (const Error& problem : problems) std::cerr << "tenon: " << problem.to_string() << "\n";
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace tenon::command
