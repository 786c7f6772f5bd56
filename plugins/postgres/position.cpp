// SPDX-License-Identifier: BSL-1.0
#include "position.hpp"

#include <tenon/sdk/text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>

namespace tenon::postgres {
namespace {

/// Removes a prefix from a text. Returns whether the text began with it.
bool take(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(part.size());
  return part;
}

/// Returns a text without the quotes around a JSON string.
std::string json_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

/// Removes a result of json_text and the quote after it. Returns its text.
std::string take_json_text(std::string_view& text) {
  std::string taken;
  std::size_t at = 0;
  while (at < text.size() && text[at] != '"') {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    taken.push_back(text[at++]);
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

template <class Number>
bool take_number(std::string_view& text, Number& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<Position> parse(std::string_view text) {
  Position position;
  if (take(text, "{\"table\":\"")) {
    position.table = take_json_text(text);
    if (take(text, ",\"poll\":")) {
      position.phase = Phase::poll;
    } else if (!take(text, ",\"snapshot\":")) {
      return std::nullopt;
    }
  } else if (take(text, "{\"slot\":\"")) {
    position.slot = take_until(text, "\"");
    if (take(text, "\",\"lsn\":\"")) {
      const std::optional<Lsn> lsn = parse_lsn(take_until(text, "\""));
      if (!lsn || !take(text, "\",\"record\":")) return std::nullopt;
      position.phase = Phase::stream;
      position.lsn = *lsn;
      if (!take_number(text, position.record, 10)) return std::nullopt;
      return position;
    }
    if (!take(text, "\",\"snapshot\":")) return std::nullopt;
  } else {
    return std::nullopt;
  }
  position.row = text.substr(0, text.empty() ? 0 : text.size() - 1);
  return position;
}

}  // namespace

std::string to_text(const Position& position) {
  const std::string data = position.slot.empty()
                               ? sdk::text("{\"table\":\"", json_text(position.table), "\",")
                               : sdk::text("{\"slot\":\"", position.slot, "\",");
  if (position.phase == Phase::stream) {
    return sdk::text(data, "\"lsn\":\"", to_text(position.lsn), "\",\"record\":", position.record,
                     "}");
  }
  const bool is_snapshot = position.phase == Phase::snapshot;
  return sdk::text(data, is_snapshot ? "\"snapshot\":" : "\"poll\":", position.row, "}");
}

std::optional<Position> parse_position(std::string_view text) {
  const std::optional<Position> position = parse(text);
  const bool same = position && to_text(*position) == text;
  return same ? position : std::nullopt;
}

std::string to_text(Lsn lsn) {
  char text[24];
  std::snprintf(text, sizeof text, "%X/%X", static_cast<unsigned>(lsn >> 32),
                static_cast<unsigned>(lsn & 0xFFFFFFFF));
  return text;
}

std::optional<Lsn> parse_lsn(std::string_view text) {
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  const bool good = take_number(text, high, 16) && take(text, "/") && take_number(text, low, 16);
  if (!good || !text.empty()) return std::nullopt;
  return Lsn{high} << 32 | low;
}

}  // namespace tenon::postgres
