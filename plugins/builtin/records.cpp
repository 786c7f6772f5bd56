// SPDX-License-Identifier: BSL-1.0
#include "records.hpp"

#include <boost/json/parse.hpp>

#include <charconv>
#include <filesystem>
#include <iterator>
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

std::string end_of_positions(std::string_view name, std::string_view path) {
  return sdk::text(json_string(name), ',', json_string(path), ']');
}

void set_position(std::string& position, std::initializer_list<std::int64_t> numbers,
                  std::string_view end) {
  position = "[";
  for (const std::int64_t number : numbers) {
    char digits[20];
    position.append(digits, std::to_chars(digits, std::end(digits), number).ptr).push_back(',');
  }
  position.append(end);
}

DataPosition parse_data_position(BytesView position, std::size_t numbers) {
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;  // in a path
  boost::system::error_code error;
  const std::string_view text = position.text();
  const auto value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  const boost::json::array* parts = error ? nullptr : value.if_array();
  if (parts == nullptr || parts->size() != numbers + 2) throw foreign_position(position);
  DataPosition parsed;
  for (std::size_t i = 0; i < numbers; ++i) {
    const std::int64_t* number = (*parts)[i].if_int64();
    if (number == nullptr) throw foreign_position(position);
    parsed.numbers.push_back(*number);
  }
  for (std::string* to : {&parsed.name, &parsed.path}) {
    const boost::json::string* from =
        (*parts)[to == &parsed.name ? numbers : numbers + 1].if_string();
    if (from == nullptr) throw foreign_position(position);
    to->assign(from->data(), from->size());
  }
  return parsed;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
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
