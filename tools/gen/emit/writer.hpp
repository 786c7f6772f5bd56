// SPDX-License-Identifier: BSL-1.0
//
// Puts generated C++ together: lines with their indentation, comments and lists that keep to the
// width of a line.
#pragma once

#include "gen/emit/comment.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon::gen {

class Writer {
 public:
  static constexpr std::size_t width = source_width;

  /// One line of the parts one after the other: texts and whole numbers. Without parts, or where
  /// all are empty, an empty line.
  template <class... Parts>
  void line(const Parts&... parts) {
    std::string text;
    (append(text, parts), ...);
    add_line(text);
  }

  /// A comment for readers of the header, `///` on each line; nothing where the text is empty. A
  /// line end begins a new paragraph.
  void doc(std::string_view text) { doc("", text); }
  /// The same with `indent` before it.
  void doc(std::string_view indent, std::string_view text);
  /// A comment for readers of the code, `//` on each line.
  void comment(std::string_view text);

  /// `before`, the items with commas between them, and `after`: on one line where that fits, else
  /// with the items on lines of their own.
  void list(std::string_view before, const std::vector<std::string>& items, std::string_view after);
  /// `before`, the items with `between` between them, and `after`; broken behind `between`, with
  /// the lines that follow four columns further in.
  void chain(std::string_view before, const std::vector<std::string>& items,
             std::string_view between, std::string_view after);

  /// `target = value;`, broken behind the `=` where it is too long.
  void assign(std::string_view target, std::string_view value);
  /// A function whose body is one statement: on one line where that fits.
  void one_liner(std::string_view head, std::string_view statement);

  /// What `body` writes stands two columns further in.
  template <class Body>
  void indented(Body&& body) {
    indent_ += 2;
    body();
    indent_ -= 2;
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

  std::string text_;
  std::size_t indent_ = 0;
};

}  // namespace tenon::gen
