// SPDX-License-Identifier: BSL-1.0
#include "record_text.hpp"

#include <tenon/gen/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/plain_text.hpp"

namespace pipeline {
namespace {

void write(tenon::json::Writer& out, tenon::BytesView bytes) {
  if (tenon::valid_utf8(bytes.text()) == bytes.text()) return out.json(bytes.text());
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
