// SPDX-License-Identifier: BSL-1.0
#include "records.hpp"

#include <tenon/sdk/content_checksum.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "json_text.hpp"

namespace tenon::builtin {

namespace {

void assign(Bytes& bytes, std::string_view text) {
  const BytesView view(text);
  bytes.assign(view.begin(), view.end());
}
void assign(std::optional<Bytes>& bytes, std::string_view text) {
  assign(bytes ? *bytes : bytes.emplace(), text);
}

/// Parses a position that is a JSON list. Returns nothing for any other.
std::optional<boost::json::array> parse_list(BytesView position) {
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;  // in a path
  boost::system::error_code error;
  const std::string_view text = position.text();
  const auto value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  if (error || !value.is_array()) return std::nullopt;
  return value.get_array();
}

std::int64_t number_in(const boost::json::array& parts, std::size_t at, BytesView position) {
  const std::int64_t* number = parts[at].if_int64();
  if (number == nullptr) throw foreign_position(position);
  return *number;
}

std::string part_text(const boost::json::array& parts, std::size_t at, BytesView position) {
  const boost::json::string* text = parts[at].if_string();
  if (text == nullptr) throw foreign_position(position);
  return {text->data(), text->size()};
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

std::int64_t mark_of(std::string_view name) {
  return static_cast<std::int64_t>(sdk::checksum(name) >> 32);
}

PositionPath PositionPath::of(const std::string& path) {
  std::error_code failed;  // then the text has to be the same
  const auto file = std::filesystem::weakly_canonical(
      std::filesystem::absolute(std::filesystem::u8path(path), failed), failed);
  return {mark_of(path), mark_of(failed ? path : file.u8string())};
}

bool PositionPath::is(const std::string& other) const {
  if (path) {
    std::error_code ignored;
    return *path == other || std::filesystem::equivalent(std::filesystem::u8path(*path),
                                                         std::filesystem::u8path(other), ignored);
  }
  const PositionPath now = of(other);
  return text == now.text || file == now.file;
}

std::string end_of_positions(std::string_view name, const std::string& path) {
  const PositionPath marks = PositionPath::of(path);
  return sdk::text(json_string(name), ',', marks.text, ',', marks.file, ']');
}

void set_position(std::string& position, std::initializer_list<std::int64_t> numbers,
                  std::string_view end) {
  constexpr std::size_t longest_number = 21;  // with the comma
  position.resize(1 + numbers.size() * longest_number + end.size());
  char* at = position.data();
  *at++ = '[';
  for (const std::int64_t number : numbers) {
    at = std::to_chars(at, at + longest_number, number).ptr;
    *at++ = ',';
  }
  at = std::copy(end.begin(), end.end(), at);
  position.resize(static_cast<std::size_t>(at - position.data()));
}

DataPosition parse_data_position(BytesView position, std::size_t numbers) {
  const auto parts = parse_list(position);
  if (!parts || parts->size() < numbers + 2) throw foreign_position(position);
  DataPosition parsed;
  for (std::size_t i = 0; i < numbers; ++i)
    parsed.numbers.push_back(number_in(*parts, i, position));
  parsed.name = part_text(*parts, numbers, position);
  if (parts->size() == numbers + 2) {
    parsed.path.path = part_text(*parts, numbers + 1, position);
  } else if (parts->size() == numbers + 3) {
    parsed.path.text = number_in(*parts, numbers + 1, position);
    parsed.path.file = number_in(*parts, numbers + 2, position);
  } else {
    throw foreign_position(position);
  }
  return parsed;
}

std::optional<std::vector<std::int64_t>> parse_numbers(BytesView position) {
  const auto parts = parse_list(position);
  if (!parts) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const auto& part : *parts) {
    if (!part.is_int64()) return std::nullopt;
    numbers.push_back(part.get_int64());
  }
  return numbers;
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
