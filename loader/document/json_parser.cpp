// SPDX-License-Identifier: BSL-1.0
#include "document/json_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "document/utf8.hpp"

namespace tenon::json::detail {
namespace {

constexpr int deepest = 64;

void append_utf8(std::string& out, std::uint32_t character) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | (character >> shift & 0x3f));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xe0 | character >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | character >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Goes through the text once. Functions answer false at the first thing that is wrong; `at_` then
/// stands there.
class Parser {
 public:
  explicit Parser(std::string_view text) noexcept : text_(text) {}

  bool parse(Node& root) {
    if (!value(root, 0)) return false;
    space();
    return at_ == text_.size() || wrong("something follows the value");
  }

  /// What is wrong, when a function answered false.
  Error error() const {
    const std::string_view before = text_.substr(0, at_);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t line_begin = before.rfind('\n') + 1;
    const auto column =
        std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    return Error({.code = "not-json",
                  .message = what_,
                  .where = std::to_string(lines + 1) + ":" + std::to_string(column + 1)});
  }

 private:
  bool wrong(std::string_view what) {
    if (what_.empty()) what_ = what;
    return false;
  }

  /// 0 at the end; a 0 in the text is wrong everywhere.
  char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) noexcept {
    if (peek() != c || at_ == text_.size()) return false;
    at_++;
    return true;
  }

  void space() noexcept {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) at_++;
  }

  bool word(Node& node, std::string_view word, Node::Form form) {
    if (text_.substr(at_, word.size()) != word) return wrong("a value was expected");
    at_ += word.size();
    node.form = form;
    return true;
  }

  bool value(Node& node, int depth) {
    space();
    const std::size_t begin = at_;
    if (!any_value(node, depth)) return false;
    node.source = text_.substr(begin, at_ - begin);
    return true;
  }

  bool any_value(Node& node, int depth) {
    switch (peek()) {
      case '{':
        return object(node, depth + 1);
      case '[':
        return array(node, depth + 1);
      case '"':
        node.form = Node::Form::text;
        return text(node.text);
      case 't':
        return word(node, "true", Node::Form::boolean);
      case 'f':
        return word(node, "false", Node::Form::boolean);
      case 'n':
        return word(node, "null", Node::Form::null);
      default:
        return number(node);
    }
  }

  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') at_++;
    return at_ != begin ||
           wrong(begin == number_ ? "a value was expected" : "a digit was expected");
  }

  bool number(Node& node) {
    node.form = Node::Form::number;
    number_ = at_;
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  bool array(Node& node, int depth) {
    node.form = Node::Form::array;
    if (depth > deepest) return wrong("more than 64 levels");
    at_++;
    space();
    if (take(']')) return true;
    for (;;) {
      if (!value(node.elements.emplace_back(), depth)) return false;
      space();
      if (take(']')) return true;
      if (!take(',')) return wrong("',' or ']' was expected");
    }
  }

  bool object(Node& node, int depth) {
    node.form = Node::Form::object;
    if (depth > deepest) return wrong("more than 64 levels");
    at_++;
    space();
    if (take('}')) return true;
    std::set<std::string> known;
    for (;;) {
      if (!member(node, known, depth)) return false;
      space();
      if (take('}')) return true;
      if (!take(',')) return wrong("',' or '}' was expected");
    }
  }

  bool member(Node& node, std::set<std::string>& known, int depth) {
    space();
    const std::size_t begin = at_;
    if (peek() != '"') return wrong("a key was expected");
    std::string key;
    if (!text(key)) return false;
    if (!known.insert(key).second) {
      at_ = begin;
      return wrong("the key stands twice");
    }
    node.keys.push_back(std::move(key));
    space();
    if (!take(':')) return wrong("':' was expected");
    return value(node.elements.emplace_back(), depth);
  }

  bool text(std::string& out) {
    at_++;
    for (;;) {
      if (at_ == text_.size()) return wrong("the text has no end");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a text");
      if (c == '\\') {
        if (!escape(out)) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) return wrong("no UTF-8");
      out += text_.substr(at_, length);
      at_ += length;
    }
    at_++;
    return true;
  }

  bool escape(std::string& out) {
    static constexpr std::string_view letters = "\"\\/bfnrt";
    static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    at_++;
    const std::size_t letter = at_ < text_.size() ? letters.find(text_[at_]) : letters.npos;
    if (letter != letters.npos) {
      out += meanings[letter];
      at_++;
      return true;
    }
    std::uint32_t character = 0;
    if (peek() != 'u' || !hex(character)) return wrong("no escape of JSON");
    if (character >= 0xd800 && character < 0xdc00) {
      std::uint32_t second = 0;
      const bool paired = take('\\') && peek() == 'u' && hex(second);
      if (!paired || second < 0xdc00 || second > 0xdfff) return wrong("half a character");
      character = 0x10000 + ((character - 0xd800) << 10) + (second - 0xdc00);
    } else if (character >= 0xdc00 && character < 0xe000) {
      return wrong("half a character");
    }
    append_utf8(out, character);
    return true;
  }

  /// The four digits behind the 'u' where the parser stands.
  bool hex(std::uint32_t& number) {
    static constexpr std::string_view digits = "0123456789abcdef";
    at_++;
    for (int i = 0; i < 4; i++, at_++) {
      const char c = peek();
      const std::size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
      if (digit == digits.npos) return false;
      number = number << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;  // where the number under way begins
  std::string what_;
};

}  // namespace

Result<std::unique_ptr<const Tree>> parse(std::string_view text) {
  auto tree = std::make_unique<Tree>(Tree{std::string(text)});
  Parser parser(tree->text);
  if (!parser.parse(tree->root)) return parser.error();
  return std::unique_ptr<const Tree>(std::move(tree));
}

}  // namespace tenon::json::detail
