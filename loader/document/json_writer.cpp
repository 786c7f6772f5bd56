// SPDX-License-Identifier: BSL-1.0
#include <tenon/json.hpp>

#include <charconv>
#include <cmath>
#include <cstring>

#include "document/base64.hpp"
#include "document/json_parser.hpp"
#include "document/utf8.hpp"

namespace tenon::json {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

/// Whether one of eight bytes is a control character, a quote, a backslash or no ASCII.
bool has_special(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const std::uint64_t control = bytes - ones * 0x20;
  const std::uint64_t quote = (bytes ^ ones * '"') - ones;
  const std::uint64_t backslash = (bytes ^ ones * '\\') - ones;
  return ((bytes | control | quote | backslash) & ones * 0x80) != 0;
}

bool is_special(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x80 ||
         c == '"' || c == '\\';
}

/// How many bytes at the beginning of `text` are written as they are.
std::size_t plain_length(std::string_view text) noexcept {
  std::size_t at = 0;
  for (std::uint64_t bytes; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (has_special(bytes)) break;
  }
  while (at < text.size()) {
    if (!is_special(text[at])) {
      at++;
      continue;
    }
    const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const std::size_t length = ascii ? 0 : detail::utf8_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

void append_escaped(std::string& out, char c) {
  static constexpr char hex[] = "0123456789abcdef";
  static constexpr std::string_view characters = "\"\\\b\f\n\r\t";
  static constexpr std::string_view letters = "\"\\bfnrt";
  const std::size_t letter = characters.find(c);
  if (letter != characters.npos) {
    out += {'\\', letters[letter]};
  } else if (static_cast<unsigned char>(c) < 0x20) {
    out += {'\\', 'u', '0', '0', hex[c >> 4 & 0xf], hex[c & 0xf]};
  } else {
    out += replacement;
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    if (plain == text.size()) break;
    append_escaped(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

template <class T>
std::string_view digits_of(T value, char (&digits)[40]) {
  const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, static_cast<std::size_t>(end - digits)};
}

template <class T>
std::string_view name_of_real(T value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

}  // namespace

void Writer::begin(char bracket) {
  separate();
  text_ += bracket;
  follows_value_ = false;
  depth_++;
}

void Writer::end(char bracket) {
  text_ += bracket;
  follows_value_ = true;
  depth_--;
}

void Writer::key(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += ':';
  follows_value_ = false;
}

void Writer::raw(std::string_view value) {
  separate();
  text_ += value;
  follows_value_ = true;
}

void Writer::number(std::int64_t value) {
  char digits[40];
  raw(digits_of(value, digits));
}

void Writer::number(std::uint64_t value) {
  char digits[40];
  raw(digits_of(value, digits));
}

/// Shortest that is read back as the same. Always with a point or exponent, so that -0 keeps its
/// sign with every reader.
template <class T>
void Writer::real(T value) {
  if (!std::isfinite(value)) return text(name_of_real(value));
  char space[40];
  const std::string_view digits = digits_of(value, space);
  raw(digits);
  if (digits.find_first_of(".e") == digits.npos) text_ += ".0";
}

void Writer::number(float value) {
  real(value);
}

void Writer::number(double value) {
  real(value);
}

void Writer::text(std::string_view value) {
  separate();
  append_quoted(text_, value);
  follows_value_ = true;
}

void Writer::base64(BytesView value) {
  separate();
  text_ += '"';
  const std::size_t begin = text_.size();
  text_.resize(begin + detail::base64_size(value.size()));
  detail::to_base64(value.data(), value.size(), text_.data() + begin);
  text_ += '"';
  follows_value_ = true;
}

void Writer::json(std::string_view value) {
  if (!parser_) parser_ = std::make_unique<Parser>();
  const std::size_t levels = detail::most_levels - std::min(depth_, detail::most_levels);
  const Result<Reader> parsed = parser_->parse(value, levels);
  if (parsed) {
    this->value(*parsed);
  } else {
    text(value);
  }
}

void Writer::value(const Reader& value) {
  switch (value.form()) {
    case Form::text:
      return text(value.node_->text());
    case Form::array:
      begin_array();
      for (const Reader& element : value.elements()) this->value(element);
      return end_array();
    case Form::object:
      begin_object();
      for (const auto& [key, member] : value.members()) {
        this->key(key);
        this->value(member);
      }
      return end_object();
    default:
      return raw(value.node_->text());
  }
}

}  // namespace tenon::json
