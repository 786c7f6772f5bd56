// SPDX-License-Identifier: BSL-1.0
//
// Comma-separated values as defined by RFC 4180: a field in quotes may contain commas, newlines and
// doubled quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lines.hpp"

namespace tenon::builtin {

using CsvRow = std::vector<std::string>;

/// Reads the next row, which may span lines, and skips empty lines. Returns false at the end.
/// Throws sdk::Failure with file and line if the text is not CSV; its status is TENON_DATA_LOSS if
/// the file ends inside a field in quotes. `row` then has the fields up to the end.
bool read_csv_row(Lines& lines, CsvRow& row);

/// Throws sdk::Failure if the row that was just read is no header because it has a name twice.
void check_csv_header(const Lines& lines, const CsvRow& row);

/// Appends a row and a newline to a text, in the form that `read_csv_row` reads. The row must have
/// at least one field.
void append_csv_row(std::string& out, const CsvRow& row);

}  // namespace tenon::builtin
