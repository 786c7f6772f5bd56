// SPDX-License-Identifier: BSL-1.0
//
// What the sources here have in common: positions that are numbers, payloads that are JSON.
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::builtin {

/// Of the metadata that says what a payload is made of; "json" stands for a JSON text.
inline constexpr std::string_view format_key = "opencdc.payload.format";

/// Makes a record one with a JSON payload. The memory of its parts is used again.
void set_json(RecordV2& record, std::string_view position, std::string_view key,
              std::string_view payload);

/// A position that none of the plugin's records has.
sdk::Failure not_ours(BytesView position);

/// The number that a position is. Throws not_ours.
std::int64_t parse_position(BytesView position);

/// Takes a number off the start of a text; 0 where there is none.
std::int64_t take_number(std::string_view& text);

/// A number as JSON and people write it, with a point: 2.5, 3.0
std::string number_text(double number);

}  // namespace tenon::builtin
