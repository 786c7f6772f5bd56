// SPDX-License-Identifier: BSL-1.0
//
// Formats text output: colours on a terminal, aligned columns, and problems.
#pragma once

#include <tenon/inspect.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain_text.hpp"

namespace tenon::command {

/// Colours for one stream, or none.
class Paint {
 public:
  /// Uses colours if `descriptor` is a terminal that supports them and NO_COLOR is not set, unless
  /// `set_colours` has decided.
  static Paint for_stream(int descriptor);
  /// Uses colours always, or never. Called before other threads run.
  static void set_colours(bool always) noexcept;

  std::string good(std::string_view text) const { return wrap("32", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }
  std::string warning(std::string_view text) const { return wrap("33", text); }
  std::string strong(std::string_view text) const { return wrap("1", text); }
  /// Returns a text in the colour of a grade.
  std::string of(Severity severity, std::string_view text) const;
  /// Returns a whole problem, whose grade and code are coloured.
  std::string problem(const Error& error) const;

 private:
  explicit Paint(bool colours) : colours_(colours) {}
  std::string wrap(std::string_view code, std::string_view text) const;

  bool colours_;
};

/// A table. Control characters in its cells are escaped.
class Table {
 public:
  /// Adds a cell to the last row.
  void add(std::string_view cell);
  void end_row() { ends_.push_back(cells_.size()); }

  std::size_t rows() const noexcept { return ends_.size(); }
  /// REQUIRED: the row has that column.
  std::string_view cell(std::size_t row, std::size_t column) const;
  /// Returns a row as a line that ends with '\n', without trailing spaces. Columns are as wide as
  /// their widest cell, and two spaces apart.
  std::string line(std::size_t row) const;
  /// Returns the width of the widest line, if a widest cell of the last column is not empty.
  std::size_t width() const;

 private:
  struct Cell {
    std::size_t begin;
    std::size_t size;
    std::size_t width;
  };
  std::size_t begin_of(std::size_t row) const { return row > 0 ? ends_[row - 1] : 0; }
  std::string_view text_of(const Cell& cell) const {
    return std::string_view(text_).substr(cell.begin, cell.size);
  }

  std::string text_;  // of all cells
  std::vector<Cell> cells_;
  std::vector<std::size_t> ends_;    // by row, among the cells
  std::vector<std::size_t> widths_;  // by column
};

using Row = std::vector<std::string>;

/// Returns the lines of a table of these rows.
std::vector<std::string> aligned(const std::vector<Row>& rows);

/// Returns the number of columns of a terminal that a text takes, if each code point takes one.
std::size_t width_of(std::string_view text);

/// Returns the number of columns of the terminal that a descriptor leads to; the largest number if
/// it leads to none, or to one of unknown size.
std::size_t columns_of(int descriptor);

/// Returns a size such as "83 kB".
std::string size_text(std::uint64_t bytes);

/// Returns the permissions of a file such as "0644".
std::string mode_text(const FileOwner& owner);

/// Returns whether one of the problems has the grade error.
bool any_error(const std::vector<Error>& problems);

/// Prints problems to standard error.
void print_problems(const std::vector<Error>& problems);

/// Returns a text such as "1 error", "2 errors".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace tenon::command
