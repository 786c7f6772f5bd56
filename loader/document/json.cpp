// SPDX-License-Identifier: BSL-1.0
//
// Not Boost.JSON: its parser rounds numbers before anybody can ask for their digits, and does not
// keep the text of a value.
#include <tenon/json.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "document/json_parser.hpp"
#include "document/utf8.hpp"

namespace tenon::json {
namespace {

using detail::Node;

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = detail::utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      out += replacement;
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += {'\\', 'u', '0', '0', hex[c >> 4 & 0xf], hex[c & 0xf]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

/// Three bytes are four digits; what is missing at the end is '='.
std::string to_base64(BytesView bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; k++) bits = bits << 8 | (k < left ? bytes.data()[i + k] : 0u);
    for (std::size_t k = 0; k < 4; k++) {
      text += k <= left ? base64_digits[bits >> (18 - 6 * k) & 0x3f] : '=';
    }
  }
  return text;
}

/// Nothing where the text is not what to_base64 answers for some bytes.
std::optional<Bytes> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  Bytes bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=' && count < 2) {
    text.remove_suffix(1);
    count++;
  }
  count = 0;
  for (const char c : text) {
    const std::size_t digit = base64_digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count & 0xff));
  }
  const bool nothing_left = (bits & ((1u << count) - 1)) == 0;
  return count < 6 && nothing_left ? std::optional(std::move(bytes)) : std::nullopt;
}

template <class T>
std::string digits_of(T value) {
  char digits[40];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Shortest that is read back as the same. Always with a point or exponent, so that -0 keeps its
/// sign with every reader.
template <class T>
std::string text_of_real(T value) {
  std::string text = digits_of(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

template <class T>
std::string_view name_of_real(T value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

/// The number that the whole of `text` is.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

template <class T>
bool parse_real(const Node& node, T& value) {
  if (node.form == Node::Form::number) return parse_number(node.source, value);
  if (node.form != Node::Form::text) return false;
  const std::string_view name = node.text;
  if (name == "NaN") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (name == "Infinity") {
    value = std::numeric_limits<T>::infinity();
  } else if (name == "-Infinity") {
    value = -std::numeric_limits<T>::infinity();
  } else {
    return false;
  }
  return true;
}

/// What stands there, for people.
std::string describe(const Node& node) {
  constexpr std::size_t longest = 40;
  switch (node.form) {
    case Node::Form::null:
      return "null";
    case Node::Form::boolean:
      return std::string(node.source);
    case Node::Form::number:
      return "number " + std::string(node.source.substr(0, longest));
    case Node::Form::text:
      return node.source.size() <= longest ? "text " + std::string(node.source) : "text";
    case Node::Form::array:
      return "array";
    default:
      return "object";
  }
}

}  // namespace

// -- Writing ------------------------------------------------------------------

void Writer::separate() {
  if (follows_value_) text_ += ',';
}

void Writer::begin(char bracket) {
  separate();
  text_ += bracket;
  follows_value_ = false;
}

void Writer::end(char bracket) {
  text_ += bracket;
  follows_value_ = true;
}

void Writer::plain(std::string_view value) {
  separate();
  text_ += value;
  follows_value_ = true;
}

void Writer::key(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += ':';
  follows_value_ = false;
}

void Writer::number(std::int64_t value) {
  plain(digits_of(value));
}

void Writer::number(std::uint64_t value) {
  plain(digits_of(value));
}

void Writer::number(float value) {
  if (!std::isfinite(value)) return text(name_of_real(value));
  plain(text_of_real(value));
}

void Writer::number(double value) {
  if (!std::isfinite(value)) return text(name_of_real(value));
  plain(text_of_real(value));
}

void Writer::text(std::string_view value) {
  separate();
  append_quoted(text_, value);
  follows_value_ = true;
}

void Writer::base64(BytesView value) {
  text(to_base64(value));
}

void Writer::json(std::string_view value) {
  if (detail::parse(value)) {
    plain(value);
  } else {
    text(value);
  }
}

// -- Reading ------------------------------------------------------------------

Document::Document(std::unique_ptr<const detail::Tree> tree) noexcept : tree_(std::move(tree)) {}
Document::Document(Document&&) noexcept = default;
Document::~Document() = default;

Result<Document> Document::parse(std::string_view text) {
  auto tree = detail::parse(text);
  if (!tree) return std::move(tree).error();
  return Document(std::move(*tree));
}

Reader Document::root() {
  return {*this, tree_->root};
}

bool Reader::read(bool& value) const {
  if (node_->form != Node::Form::boolean) return fail("true or false");
  value = node_->source == "true";
  return true;
}

bool Reader::read(float& value) const {
  return parse_real(*node_, value) || fail("float32");
}

bool Reader::read(double& value) const {
  return parse_real(*node_, value) || fail("float64");
}

bool Reader::read(std::string& value) const {
  if (node_->form != Node::Form::text) return fail("text");
  value = node_->text;
  return true;
}

bool Reader::read(Bytes& value) const {
  if (node_->form != Node::Form::text) return fail("text in base64");
  std::optional<Bytes> bytes = from_base64(node_->text);
  if (!bytes) return fail("text in base64");
  value = std::move(*bytes);
  return true;
}

bool Reader::read(Json& value) const {
  value.text = node_->source;
  return true;
}

bool Reader::read_integer(std::int64_t& value, std::int64_t least, std::int64_t most,
                          std::string_view type) const {
  const bool good = node_->form == Node::Form::number && parse_number(node_->source, value) &&
                    value >= least && value <= most;
  return good || fail(type);
}

bool Reader::read_natural(std::uint64_t& value, std::uint64_t most, std::string_view type) const {
  const bool good =
      node_->form == Node::Form::number && parse_number(node_->source, value) && value <= most;
  return good || fail(type);
}

bool Reader::read_array(std::size_t& count) const {
  if (node_->form != Node::Form::array) return fail("array");
  count = node_->elements.size();
  return true;
}

bool Reader::read_object(std::size_t& count) const {
  if (node_->form != Node::Form::object) return fail("object");
  count = node_->elements.size();
  return true;
}

Reader Reader::element(std::size_t i) const {
  assert(i < node_->elements.size());
  Reader reader(*document_, node_->elements[i]);
  reader.parent_ = this;
  reader.place_ = Place::element;
  reader.index_ = i;
  return reader;
}

Reader Reader::member(std::size_t i, bool of_map) const {
  Reader reader = element(i);
  reader.place_ = of_map ? Place::entry : Place::field;
  return reader;
}

std::string_view Reader::key(std::size_t i) const {
  assert(i < node_->keys.size());
  return node_->keys[i];
}

std::string Reader::path() const {
  if (parent_ == nullptr) return {};
  std::string path = parent_->path();
  switch (place_) {
    case Place::element:
      return path + "[" + std::to_string(index_) + "]";
    case Place::entry:
      path += '[';
      append_quoted(path, parent_->key(index_));
      return path + "]";
    default:
      return path.append(path.empty() ? "" : ".").append(parent_->key(index_));
  }
}

bool Reader::fail(std::string_view needed) const {
  document_->error_ =
      Error({.code = "wrong-value",
             .message = "expected " + std::string(needed) + ", found " + describe(*node_),
             .where = path()});
  return false;
}

bool Reader::fail_member(std::string_view key, std::string_view message) const {
  const std::string before = path();
  document_->error_ = Error({.code = "wrong-value",
                             .message = std::string(message),
                             .where = before + (before.empty() ? "" : ".") + std::string(key)});
  return false;
}

}  // namespace tenon::json
