// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/base64.hpp"
#include "base/utf8.hpp"
#include "document/json_parser.hpp"

namespace tenon { inline namespace v0_1 { namespace json {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

/// The bytes that need no escape.
constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> all{};
  for (int c = 0x20; c < 0x80; ++c) all[c] = c != '"' && c != '\\';
  return all;
}();

/// Returns whether all bytes of a word need no escape.
template <class Bytes>
bool all_plain(Bytes bytes) noexcept {
  constexpr Bytes ones = static_cast<Bytes>(0x0101010101010101);
  const Bytes control = bytes - ones * 0x20;
  const Bytes quote = (bytes ^ ones * '"') - ones;
  const Bytes backslash = (bytes ^ ones * '\\') - ones;
  return ((bytes | control | quote | backslash) & ones * 0x80) == 0;
}

template <class Bytes>
bool copy_if_plain(const char* in, char* out) noexcept {
  Bytes bytes;
  std::memcpy(&bytes, in, sizeof bytes);
  if (!all_plain(bytes)) return false;
  std::memcpy(out, &bytes, sizeof bytes);
  return true;
}

/// Copies the last eight bytes, or all of a text of four to seven bytes, if none needs an escape.
/// Some of them may have been copied already.
bool copy_end_if_plain(std::string_view text, char* out) noexcept {
  const std::size_t last8 = text.size() - 8;
  const std::size_t last4 = text.size() - 4;
  if (text.size() >= 8) return copy_if_plain<std::uint64_t>(text.data() + last8, out + last8);
  return text.size() >= 4 && copy_if_plain<std::uint32_t>(text.data(), out) &&
         copy_if_plain<std::uint32_t>(text.data() + last4, out + last4);
}

/// Copies the start of `text` up to the first byte that needs an escape, and returns its size.
/// REQUIRED: `out` has space for the whole text.
std::size_t copy_plain(std::string_view text, char* out) noexcept {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    if (!copy_if_plain<std::uint64_t>(text.data() + at, out + at)) break;
  }
  if (text.size() - at < sizeof(std::uint64_t) && copy_end_if_plain(text, out)) return text.size();
  for (; at < text.size() && plain[static_cast<unsigned char>(text[at])]; ++at) out[at] = text[at];
  return at;
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

/// Returns a buffer for `size` more characters. The caller adds them to `size_`.
inline char* Writer::reserve(std::size_t size) {
  if (capacity_ - size_ < size) grow(size);
  return data_ + size_;
}

void Writer::grow(std::size_t size) {
  constexpr std::size_t least = 256;
  const bool lent = text_.empty();
  text_.resize(std::max({size_ + size, 2 * capacity_, least}));
  if (lent && size_ != 0) std::memcpy(text_.data(), data_, size_);
  data_ = text_.data();
  capacity_ = text_.size();
}

inline void Writer::put(char c) {
  *reserve(1) = c;
  ++size_;
}

inline void Writer::put(std::string_view text) {
  if (!text.empty()) std::memcpy(reserve(text.size()), text.data(), text.size());
  size_ += text.size();
}

inline void Writer::separate() {
  if (follows_value_) put(',');
  follows_value_ = true;
}

std::string Writer::take() {
  std::string taken = text_.empty() ? std::string(view()) : std::exchange(text_, {});
  taken.resize(size_);
  data_ = nullptr;
  capacity_ = 0;
  clear();
  return taken;
}

void Writer::begin(char bracket) {
  separate();
  put(bracket);
  follows_value_ = false;
  ++depth_;
}

void Writer::end(char bracket) {
  put(bracket);
  follows_value_ = true;
  --depth_;
}

void Writer::key(std::string_view name) {
  separate();
  quote(name);
  put(':');
  follows_value_ = false;
}

void Writer::raw(std::string_view value) {
  separate();
  put(value);
}

void Writer::begin_raw(std::initializer_list<std::string_view> pieces) {
  separate();
  for (const std::string_view piece : pieces) put(piece);
  follows_value_ = false;
  ++depth_;
}

void Writer::quote(std::string_view text) {
  put('"');
  for (;;) {
    const std::size_t copied = copy_plain(text, reserve(text.size() + 1));
    size_ += copied;
    text.remove_prefix(copied);
    if (text.empty()) break;
    text.remove_prefix(put_special(text));
  }
  put('"');
}

/// Writes the first character of `text`, which is not plain. Returns the number of its bytes.
std::size_t Writer::put_special(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  static constexpr std::string_view characters = "\"\\\b\f\n\r\t";
  static constexpr std::string_view letters = "\"\\bfnrt";
  const auto c = static_cast<unsigned char>(text.front());
  const std::size_t letter = characters.find(text.front());
  if (letter != characters.npos) {
    put('\\');
    put(letters[letter]);
  } else if (c < 0x20) {
    put("\\u00");
    put(hex[c >> 4]);
    put(hex[c & 0xf]);
  } else {
    const std::size_t length = detail::utf8_length(text);
    put(length != 0 ? text.substr(0, length) : replacement);
    return std::max<std::size_t>(length, 1);
  }
  return 1;
}

void Writer::number(std::int64_t value) {
  char digits[40];
  raw(digits_of(value, digits));
}

void Writer::number(std::uint64_t value) {
  char digits[40];
  raw(digits_of(value, digits));
}

/// Writes the shortest text that is read back as the same value. It always has a point or exponent,
/// so that -0 keeps its sign in every reader.
template <class T>
void Writer::real(T value) {
  if (!std::isfinite(value)) return text(name_of_real(value));
  char space[40];
  const std::string_view digits = digits_of(value, space);
  raw(digits);
  if (digits.find_first_of(".e") == digits.npos) put(".0");
}

void Writer::number(float value) {
  real(value);
}

void Writer::number(double value) {
  real(value);
}

void Writer::text(std::string_view value) {
  separate();
  quote(value);
}

void Writer::base64(BytesView value) {
  separate();
  put('"');
  const std::size_t size = detail::base64_encoded_size(value.size());
  detail::to_base64(value.data(), value.size(), reserve(size));
  size_ += size;
  put('"');
}

void Writer::json(std::string_view value) {
  if (!parser_) parser_ = std::make_unique<Parser>();
  const Result<Reader> parsed = parser_->parse(value);
  if (parsed && depth_ + parser_->levels() <= detail::max_levels) return this->value(*parsed);
  if (parsed) {
    problem_ = "the document has too many levels, including its property bag";
  } else {
    problem_ = "a value of type json is not JSON: ";
    problem_.append(parsed.error().message()).append(" (").append(parsed.error().where()) += ')';
  }
  text(value);
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

}}}  // namespace tenon::v0_1::json
