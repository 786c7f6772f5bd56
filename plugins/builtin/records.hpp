// SPDX-License-Identifier: BSL-1.0
//
// Functions that the builtin sources share: positions are JSON, payloads as well.
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// The key of the metadata with the format of the payload, for example "json".
inline constexpr std::string_view format_key = "opencdc.payload.format";
/// The key of the metadata with the table of the record.
inline constexpr std::string_view collection_key = "opencdc.collection";

/// Sets the fields of a record with a JSON payload. Reuses the memory of its parts.
void set_json(RecordV2& record, std::string_view position, std::string_view key,
              std::string_view payload);

/// Returns the error for a position that is not of this plugin.
sdk::Failure foreign_position(BytesView position);

/// Returns a position as a number. Throws foreign_position.
std::int64_t parse_position(BytesView position);

/// Returns 32 bits of a checksum of a name, which tell whether it has changed. Positions are
/// stored, and a configured name may come from a secret, which so few bits do not reveal.
std::int64_t mark_of(std::string_view name);

/// The path in a position: the marks of its text and of the file that it leads to, or, in positions
/// of older versions, the path itself.
struct PositionPath {
  std::int64_t text = 0;
  std::int64_t file = 0;
  std::optional<std::string> path{};

  /// Returns that of a path.
  static PositionPath of(const std::string& path);
  /// Returns whether a path has that text or leads to that file.
  bool is(const std::string& other) const;
};

/// A position in data that has a name and a path, as JSON: `[8,1,"json-lines",3735928559,57005]`.
/// Positions of older versions end with the path: `[8,1,"json-lines","in.jsonl"]`.
struct DataPosition {
  std::vector<std::int64_t> numbers;
  std::string name;  // what is read at the path, eg: the format of the file
  PositionPath path;
};

/// Returns the end of such positions.
std::string end_of_positions(std::string_view name, const std::string& path);
/// Sets a position to numbers and the result of end_of_positions.
void set_position(std::string& position, std::initializer_list<std::int64_t> numbers,
                  std::string_view end);
/// Parses a position with this number of numbers. Throws foreign_position.
DataPosition parse_data_position(BytesView position, std::size_t numbers);
/// Returns the numbers of a position that is a list of numbers; nothing for any other.
std::optional<std::vector<std::int64_t>> parse_numbers(BytesView position);

/// Removes a number from the start of a text and returns it. Removes nothing and returns 0 if there
/// is none, or if it is too large.
std::int64_t take_number(std::string_view& text);

/// Returns a number as text with a decimal point: 2.5, 3.0
std::string number_text(double number);

}  // namespace tenon::builtin
