// SPDX-License-Identifier: BSL-1.0
#include "records.hpp"

#include <charconv>
#include <optional>
#include <system_error>

namespace tenon::builtin {

namespace {

void assign(Bytes& bytes, std::string_view text) {
  const BytesView view(text);
  bytes.assign(view.begin(), view.end());
}
void assign(std::optional<Bytes>& bytes, std::string_view text) {
  assign(bytes ? *bytes : bytes.emplace(), text);
}

}  // namespace

void set_json(RecordV2& record, std::string_view position, std::string_view key,
              std::string_view payload) {
  assign(record.position, position);
  record.operation = RecordV2::Operation::Create;
  if (record.metadata.empty()) record.metadata.emplace(format_key, "json");
  assign(record.key, key);
  assign(record.payload.after, payload);
}

sdk::Failure foreign_position(BytesView position) {
  return sdk::Failure(TENON_INVALID_ARGUMENT, "the position \"", position.text(),
                      "\" is not a position of this plugin");
}

std::int64_t parse_position(BytesView position) {
  std::string_view rest = position.text();
  const std::int64_t number = take_number(rest);
  if (position.empty() || !rest.empty()) throw foreign_position(position);
  return number;
}

std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::string number_text(double number) {
  std::string text = sdk::text(number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace tenon::builtin
