// SPDX-License-Identifier: BSL-1.0
//
// Comma-separated values as RFC 4180 has them: a field may stand in quotes, and then hold commas,
// newlines and quotes, each of these doubled.
#pragma once

#include "lines.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

using CsvRow = std::vector<std::string>;

/// Reads the next row, which may span lines; false at the end. Empty lines are passed over. Throws
/// sdk::Failure, naming file and line, when the text is not CSV; a quote that is never closed is
/// told as `TENON_DATA_LOSS`.
bool read_csv_row(Lines& lines, CsvRow& row);

/// Appends a row and its newline to a text, so that `read_csv_row` reads the same. Takes at least
/// one field.
void append_csv_row(std::string& out, const CsvRow& row);

}  // namespace tenon::builtin
