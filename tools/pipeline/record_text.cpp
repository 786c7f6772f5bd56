// SPDX-License-Identifier: BSL-1.0
#include "record_text.hpp"

#include <tenon/detail/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/plain_text.hpp"

namespace pipeline {
namespace {

/// Returns whether an object has the only key "base64".
bool is_base64(const tenon::json::Reader& object) {
  bool is_only = false;
  for (const auto& [key, value] : object.members()) {
    is_only = key == "base64";
    if (!is_only) return false;
  }
  return is_only;
}

/// Returns whether bytes are JSON that, written as such, cannot be taken for the form of others:
/// for a string or for {"base64": ...}.
bool is_distinct_json(std::string_view text) {
  using Form = tenon::json::Form;
  tenon::json::Parser parser;
  const auto value = parser.parse(text);
  if (!value || value->form() == Form::text) return false;
  if (value->form() == Form::object) return !is_base64(*value);
  // The writer omits spaces.
  return value->form() == Form::array || text.find_first_of(" \t\r\n") == text.npos;
}

void write(tenon::json::Writer& out, tenon::BytesView bytes) {
  if (is_distinct_json(bytes.text())) return out.json(bytes.text());
  if (tenon::valid_utf8(bytes.text()) == bytes.text()) return out.text(bytes.text());
  out.begin_object();
  out.key("base64");
  out.base64(bytes);
  out.end_object();
}

}  // namespace

std::string position_text(tenon::BytesView position) {
  const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(position.begin(), position.end(), printable)) {
    return "\"" + std::string(position.text()) + "\"";
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex = "0x";
  for (const std::uint8_t byte : position) hex += {digits[byte >> 4], digits[byte & 15]};
  return hex;
}

void write(tenon::json::Writer& out, const tenon::RecordView& record) {
  const auto add = [&](std::string_view name, const std::optional<tenon::BytesView>& bytes) {
    if (!bytes) return;
    out.key(name);
    write(out, *bytes);
  };
  out.begin_object();
  add("position", record.position());
  out.key("operation");
  out.text(to_text(record.operation()));
  out.key("metadata");
  out.begin_object();
  for (const auto& [key, value] : record.metadata()) {
    out.key(key);
    out.text(value);
  }
  out.end_object();
  add("key", record.key());
  add("before", record.payload().before());
  add("after", record.payload().after());
  out.end_object();
}

}  // namespace pipeline
