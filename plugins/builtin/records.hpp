// SPDX-License-Identifier: BSL-1.0
//
// Functions that the builtin sources share: positions are numbers, payloads are JSON.
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::builtin {

/// The key of the metadata with the format of the payload, for example "json".
inline constexpr std::string_view format_key = "opencdc.payload.format";

/// Sets the fields of a record with a JSON payload. Reuses the memory of its parts.
void set_json(RecordV2& record, std::string_view position, std::string_view key,
              std::string_view payload);

/// Returns the error for a position that is not of this plugin.
sdk::Failure foreign_position(BytesView position);

/// Returns a position as a number. Throws foreign_position.
std::int64_t parse_position(BytesView position);

/// Removes a number from the start of a text and returns it. Removes nothing and returns 0 if there
/// is none, or if it is too large.
std::int64_t take_number(std::string_view& text);

/// Returns a number as text with a decimal point: 2.5, 3.0
std::string number_text(double number);

}  // namespace tenon::builtin
