// SPDX-License-Identifier: BSL-1.0
//
// Formats generated C++: indented lines, comments, and lists that are wrapped to the line width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gen/emit/comment.hpp"

namespace tenon::gen {

class Writer {
 public:
  static constexpr std::size_t width = source_width;

  /// `step` is the number of columns of one level of indentation.
  explicit Writer(std::size_t step = 2) noexcept : step_(step) {}

  /// Writes a line that concatenates strings and integers. Without parts, or if all are empty,
  /// writes an empty line.
  template <class... Parts>
  void line(const Parts&... parts) {
    std::string text;
    (append(text, parts), ...);
    add_line(text);
  }

  /// Writes a doc comment, `///` on each line; nothing for an empty text. A line break in the text
  /// starts a new line.
  void doc(std::string_view text) { doc("", text); }
  /// The same with `indent` before each line.
  void doc(std::string_view indent, std::string_view text);
  /// Writes a comment, `//` on each line.
  void comment(std::string_view text);

  /// Writes `before`, the items separated by commas, and `after`: on one line if they fit,
  /// otherwise with the items on lines of their own.
  void list(std::string_view before, const std::vector<std::string>& items, std::string_view after);
  /// Writes `before`, the items separated by `between`, and `after`. Lines break after `between`,
  /// and continuation lines are indented by four columns.
  void chain(std::string_view before, const std::vector<std::string>& items,
             std::string_view between, std::string_view after);

  /// Writes `target = value;`, broken after the `=` if it is too long.
  void assign(std::string_view target, std::string_view value);
  /// Writes a function with a body of one statement: on one line if it fits.
  void one_liner(std::string_view head, std::string_view statement);

  /// Indents everything that `body` writes by one level.
  template <class Body>
  void indented(Body&& body) {
    indent_ += step_;
    body();
    indent_ -= step_;
  }

  const std::string& text() const noexcept { return text_; }

 private:
  template <class Part>
  static void append(std::string& text, const Part& part) {
    if constexpr (std::is_integral_v<Part>) {
      text += std::to_string(part);
    } else {
      text += std::string_view(part);
    }
  }

  void add_line(std::string_view text);
  void add_comment(std::string_view mark, std::string_view text);

  std::size_t step_;
  std::string text_{};
  std::size_t indent_ = 0;
};

}  // namespace tenon::gen
