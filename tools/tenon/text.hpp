// SPDX-License-Identifier: BSL-1.0
//
// How the command writes: colours where there is a terminal, columns that are aligned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/result.hpp>

#include "base/plain_text.hpp"

namespace tenon::command {

/// Colours for one stream, or none.
class Paint {
 public:
  /// Colours when `descriptor` is a terminal that has them and NO_COLOR is not set.
  static Paint for_stream(int descriptor);

  std::string good(std::string_view text) const { return wrap("32", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }
  std::string doubtful(std::string_view text) const { return wrap("33", text); }
  std::string strong(std::string_view text) const { return wrap("1", text); }
  /// In the colour of a finding.
  std::string of(ErrorGrade grade, std::string_view text) const;
  /// A whole finding, whose first word and code are coloured.
  std::string finding(const Error& error) const;

 private:
  explicit Paint(bool colours) : colours_(colours) {}
  std::string wrap(std::string_view code, std::string_view text) const;

  bool colours_;
};

using Row = std::vector<std::string>;

/// Rows whose columns are as wide as their widest cell, two spaces apart; each line ends with a
/// line end and has no space before it. Cells are made harmless.
std::vector<std::string> aligned(std::vector<Row> rows);

/// How many columns of a terminal a text takes, as far as its letters each take one.
std::size_t width_of(std::string_view text);

/// eg: "83 kB"
std::string size_text(std::uint64_t bytes);

/// Whether one of the findings is an error.
bool any_error(const std::vector<Error>& findings);

/// "1 error", "2 errors"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace tenon::command
