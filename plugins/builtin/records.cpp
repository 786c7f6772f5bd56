// SPDX-License-Identifier: BSL-1.0
#include "records.hpp"

#include <tenon/sdk/failure.hpp>

#include <charconv>

namespace tenon::builtin {

RecordV2 json_record(std::string_view position, std::string_view key, std::string_view payload) {
  RecordV2 record;
  record.position = to_bytes(position);
  record.operation = RecordV2::Operation::Create;
  record.metadata.emplace(format_key, "json");
  record.key = to_bytes(key);
  record.payload.after = to_bytes(payload);
  return record;
}

std::int64_t parse_position(BytesView position) {
  std::string_view rest = position.text();
  std::int64_t number = take_number(rest);
  if (!rest.empty()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the position \"", position.text(),
                       "\" is none of this plugin");
  }
  return number;
}

std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the position \"", text,
                       "\" is none of this plugin");
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace tenon::builtin
