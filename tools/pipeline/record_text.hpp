// SPDX-License-Identifier: BSL-1.0
//
// Records as text.
#pragma once

#include <tenon/detail/json.hpp>
#include <tenon/record.hpp>
#include <tenon/values.hpp>

#include <string>

namespace pipeline {

/// Returns a position for messages: in quotes if it is printable ASCII, otherwise in hexadecimal
/// with the prefix 0x.
std::string position_text(tenon::BytesView position);

/// Writes a record as an object with the members position, operation, metadata, key, before and
/// after; absent ones are omitted. Bytes that are JSON are written as such, without spaces, unless
/// they are a string, an object with the only key "base64", or a scalar between spaces. These and
/// other UTF-8 are written as a string with the bytes, and the rest as {"base64": ...}.
void write(tenon::json::Writer& out, const tenon::RecordView& record);

}  // namespace pipeline
