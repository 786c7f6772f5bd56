// SPDX-License-Identifier: BSL-1.0
#include "position.hpp"

#include <tenon/sdk/text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <utility>

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

/// Returns the size of the JSON object at the begin of a text.
std::size_t size_of_object(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '{') {
      ++depth;
    } else if (!quoted && text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
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
    if (take(text, "\",\"table\":\"")) {
      position.table = take_json_text(text);
      if (!take(text, ",\"snapshot\":")) return std::nullopt;
    } else if (!take(text, "\",\"snapshot\":")) {
      return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  position.row = text.substr(0, text.empty() ? 0 : text.size() - 1);
  return position;
}

}  // namespace

std::string to_text(const Position& position) {
  std::string text = "{";
  if (!position.slot.empty()) text += sdk::text("\"slot\":\"", position.slot, "\",");
  if (position.phase == Phase::stream) {
    return sdk::text(text, "\"lsn\":\"", to_text(position.lsn), "\",\"record\":", position.record,
                     "}");
  }
  if (!position.table.empty()) {
    text += sdk::text("\"table\":\"", json_text(position.table), "\",");
  }
  const bool is_snapshot = position.phase == Phase::snapshot;
  return sdk::text(text, is_snapshot ? "\"snapshot\":" : "\"poll\":", position.row, "}");
}

std::optional<Position> parse_position(std::string_view text) {
  const std::optional<Position> position = parse(text);
  const bool same = position && to_text(*position) == text;
  return same ? position : std::nullopt;
}

std::vector<Position> parse_positions(std::string_view text) {
  std::vector<Position> positions;
  if (text.substr(0, 1) != "[") {
    if (auto position = parse_position(text)) positions.push_back(*std::move(position));
    return positions;
  }
  while (text.size() > 1) {
    text.remove_prefix(1);
    const std::size_t size = size_of_object(text);
    const std::optional<Position> position = parse_position(text.substr(0, size));
    if (!position || !position->slot.empty() || size == text.size()) return {};
    positions.push_back(*position);
    text.remove_prefix(size);
    if (text == "]") return positions;
    if (text.front() != ',') return {};
  }
  return {};
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
