// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/json.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>

#include "base/base64.hpp"
#include "document/json_parser.hpp"

namespace tenon { inline namespace v0_1 { namespace json {
namespace {

using detail::Node;

/// Parses the whole text as a number.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

/// Returns whether a JSON number outside of the range of a floating-point type is too small for it,
/// not too large. Decides by the position of the first digit other than 0.
bool is_tiny(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, end);
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const auto magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::int64_t exponent = 0;
  const bool negative = end + 1 < text.size() && text[end + 1] == '-';
  if (end < text.size()) {
    const std::size_t begin = end + (text[end + 1] == '+' ? 2 : 1);
    const bool fits = parse_number(text.substr(begin), exponent);
    if (!fits) return negative;
  }
  return exponent < -magnitude;
}

/// Parses the nearest value of the type. Numbers that are too small become 0.
template <class T>
bool parse_nearest(std::string_view text, T& value) {
  if (parse_number(text, value)) return true;
  if (!is_tiny(text)) return false;
  value = text.front() == '-' ? -T(0) : T(0);
  return true;
}

template <class T>
bool parse_real(const Node& node, T& value) {
  if (node.form == Form::number) return parse_nearest(node.text(), value);
  if (node.form != Form::text) return false;
  const std::string_view name = node.text();
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

std::string quoted(std::string_view text) {
  Writer out;
  out.text(text);
  return out.take();
}

/// Describes a value for messages.
std::string describe(const Node& node) {
  constexpr std::size_t longest = 40;
  switch (node.form) {
    case Form::number:
      return "number " + std::string(node.text().substr(0, longest));
    case Form::text:
      return node.size <= longest ? "text " + quoted(node.text()) : "text";
    case Form::array:
      return "array";
    case Form::object:
      return "object";
    default:
      return std::string(node.text());
  }
}

/// Appends a member to a path: ".name", or in brackets and quotes if it is not a word.
void append_member(std::string& path, std::string_view key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (plain) {
    path.append(path.empty() ? "" : ".").append(key);
  } else {
    path.append("[").append(quoted(key)).append("]");
  }
}

/// Returns the path from `root` to `node`, which is a part of it.
std::string path_to(const Node& node, const Node& root) {
  std::string path;
  for (const Node* at = &root; at != &node;) {
    const bool members = at->form == Form::object;
    const Node* part = at + 1;
    std::size_t index = 0;
    // Find the last part that does not begin after the node.
    for (;; ++index) {
      const Node* value = members ? part + 1 : part;
      if (value + value->extent > &node) break;
      part = value + value->extent;
    }
    if (members) {
      append_member(path, part->text());
    } else {
      path.append("[").append(std::to_string(index)).append("]");
    }
    at = members ? part + 1 : part;
  }
  return path;
}

}  // namespace

bool Reader::read(bool& value) const {
  if (form() != Form::boolean) return fail("true or false");
  value = node_->text() == "true";
  return true;
}

bool Reader::read(float& value) const {
  return parse_real(*node_, value) || fail("float32");
}

bool Reader::read(double& value) const {
  return parse_real(*node_, value) || fail("float64");
}

bool Reader::read_bytes(tenon_call* call, tenon_bytes& value) const {
  const auto size =
      form() == Form::text ? detail::base64_decoded_size(node_->text()) : std::nullopt;
  if (!size) return fail("text in base64");
  auto* bytes = static_cast<std::uint8_t*>(tenon_allocate(call, *size));
  value = {bytes, *size};
  return detail::from_base64(node_->text(), bytes) || fail("text in base64");
}

bool Reader::read_json(tenon_call* call, tenon_string& value) const {
  Writer& out = tape_->scratch;
  out.clear();
  out.value(*this);
  const std::string_view text = out.view();
  value = {static_cast<const char*>(tenon_allocate_copy(call, text.data(), text.size())),
           text.size()};
  return true;
}

bool Reader::read_integer(std::int64_t& value, std::int64_t least, std::int64_t most,
                          std::string_view type) const {
  const bool good = form() == Form::number && parse_number(node_->text(), value) &&
                    value >= least && value <= most;
  return good || fail(type);
}

bool Reader::read_natural(std::uint64_t& value, std::uint64_t most, std::string_view type) const {
  if (form() == Form::number && node_->text() == "-0") {
    value = 0;
    return true;
  }
  const bool good = form() == Form::number && parse_number(node_->text(), value) && value <= most;
  return good || fail(type);
}

bool Reader::fail(std::string_view needed) const {
  detail::Failure& failure = tape_->failure;
  failure.node = node_;
  failure.key.reset();
  failure.text = needed;
  return false;
}

bool Reader::fail_member(std::string_view key, std::string_view message) const {
  detail::Failure& failure = tape_->failure;
  failure.node = node_;
  failure.key = key;
  failure.text = message;
  return false;
}

Error Parser::take_error() {
  const detail::Failure& failure = tape_->failure;
  std::string where = path_to(*failure.node, tape_->parser.handler().nodes.front());
  std::string message = failure.text;
  if (failure.key) {
    append_member(where, *failure.key);
  } else {
    message = "expected " + message + ", found " + describe(*failure.node);
  }
  return Error({.code = "wrong-value", .message = std::move(message), .where = std::move(where)});
}

}}}  // namespace tenon::v0_1::json
