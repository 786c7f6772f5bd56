// SPDX-License-Identifier: BSL-1.0
#include "document_scanner.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace backup {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view part_of_mark = "only the first bytes of a byte order mark";
/// Longer keys and values of an object with items are ignored.
constexpr std::size_t longest_member = 1024;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Returns the value of a JSON string, or an empty text if it is another value.
std::string text_of(std::string_view json) {
  boost::system::error_code status;
  const auto value = boost::json::parse(json, status);
  return !status && value.is_string() ? std::string(value.get_string()) : std::string();
}

/// Returns whether a key, with its quotes, has this text.
bool is_key(std::string_view key, std::string_view text) {
  if (key.find('\\') != std::string_view::npos) return text_of(key) == text;
  return key.size() == text.size() + 2 && key.substr(1, text.size()) == text;
}

}  // namespace

void Position::pass(std::string_view text) {
  offset += text.size();
  if (const auto last = text.rfind('\n'); last != std::string_view::npos) {
    line += static_cast<std::uint32_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(last) + 1, '\n'));
    column = 1;
    text.remove_prefix(last + 1);
  }
  column += static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
    const bool continues_character = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    return !continues_character;
  }));
}

void DocumentScanner::feed(std::string_view piece) {
  while (!piece.empty()) {
    std::size_t taken = 1;
    const char c = piece.front();
    const bool may_be_mark = here_.offset == mark_ && mark_ < byte_order_mark.size();
    if (may_be_mark && c == byte_order_mark[mark_]) {
      ++mark_;
      ++here_.offset;
    } else if (in_scan()) {
      taken = take_value(piece);
    } else {
      if (has_part_of_mark()) {
        break_off(c, part_of_mark);
      } else {
        take(c);
      }
      if (in_scan()) continue;  // the byte begins a value and belongs to it
      pass(piece.substr(0, 1));
    }
    piece.remove_prefix(taken);
  }
}

/// Returns whether everything before this position is a part of a byte order mark.
bool DocumentScanner::has_part_of_mark() const {
  return here_.offset == mark_ && mark_ != 0 && mark_ < byte_order_mark.size();
}

/// Returns whether a key or value is being scanned.
bool DocumentScanner::in_scan() const {
  return state_ == State::in_key || state_ == State::in_value || state_ == State::in_element;
}

void DocumentScanner::pass(std::string_view text) {
  if (text.empty()) return;
  here_.pass(text);
  is_line_begin_ = text.back() == '\n';
}

void DocumentScanner::finish() {
  if (has_part_of_mark()) return handler_.on_broken(here_, part_of_mark, envelope_);
  if (state_ == State::between || state_ == State::lost) return;
  handler_.on_broken(here_, "the file ends inside a document", envelope_);
}

void DocumentScanner::take(char c) {
  if (state_ == State::lost) {
    if (is_line_begin_ && c == '{') begin_object();
    return;
  }
  if (is_blank(c)) return;
  switch (state_) {
    case State::between:
      return c == '{' ? begin_object() : break_off(c, "this is not the beginning of an object");
    case State::key_or_end:
      if (c == '}') return end_object();
      [[fallthrough]];
    case State::key:
      return c == '"' ? begin_value(State::in_key, c)
                      : break_off(c, "this is not the beginning of a key");
    case State::colon:
      return expect(c, ':', State::value, "no colon follows a key");
    case State::value:
      return begin_value(State::in_value, c);
    case State::comma_or_end:
      if (c == '}') return end_object();
      return expect(c, ',', State::key, "neither a comma nor } follows a member");
    case State::element_or_end:
      if (c == ']') {
        state_ = State::comma_or_end;
        return;
      }
      [[fallthrough]];
    case State::element:
      return begin_value(State::in_element, c);
    default:
      return take_after_element(c);
  }
}

void DocumentScanner::take_after_element(char c) {
  if (c == ']') {
    state_ = State::comma_or_end;
    return;
  }
  expect(c, ',', State::element, "neither a comma nor ] follows an element");
}

void DocumentScanner::expect(char c, char expected, State next, std::string_view found) {
  if (c != expected) return break_off(c, found);
  state_ = next;
}

void DocumentScanner::begin_object() {
  object_ = here_;
  envelope_ = {};
  state_ = State::key_or_end;
}

void DocumentScanner::end_object() {
  state_ = State::between;
  handler_.on_object({object_, here_.offset + 1 - object_.offset}, envelope_);
}

void DocumentScanner::begin_value(State state, char c) {
  const bool is_items = state == State::in_value && is_key(key_, "items");
  // Programs in Go write an empty list as null.
  if (is_items && (c == '[' || c == 'n')) envelope_.has_items = true;
  if (is_items && c == '[') {
    state_ = State::element_or_end;
    return;
  }
  state_ = state;
  value_ = here_;
  text_.clear();
  is_kept_ = true;
  scan_.begin();
}

/// Takes the bytes of the current value, and a byte that is not allowed there. Returns their
/// number.
std::size_t DocumentScanner::take_value(std::string_view piece) {
  const auto [size, step] = scan_.take(piece);
  keep(piece.substr(0, size));
  pass(piece.substr(0, size));
  if (step == ValueScan::Step::ended) end_value();
  if (step != ValueScan::Step::broken) return size;
  break_off(piece[size], "a text or a bracket does not end");
  pass(piece.substr(size, 1));
  return size + 1;
}

void DocumentScanner::keep(std::string_view text) {
  const std::size_t most = state_ == State::in_element ? largest_element_ : longest_member;
  if (is_kept_ && text.size() <= most - text_.size()) {
    text_ += text;
  } else {
    is_kept_ = false;
    text_.clear();
  }
}

void DocumentScanner::end_value() {
  if (state_ == State::in_key) {
    key_ = text_;
    state_ = State::colon;
  } else if (state_ == State::in_value) {
    state_ = State::comma_or_end;
    end_member();
  } else {
    state_ = State::comma_or_items_end;
    handler_.on_element({value_, here_.offset - value_.offset}, text_, envelope_);
  }
}

void DocumentScanner::end_member() {
  if (is_key(key_, "kind")) envelope_.kind = text_of(text_);
  if (is_key(key_, "apiVersion")) envelope_.api_version = text_of(text_);
}

void DocumentScanner::break_off(char c, std::string_view found) {
  state_ = State::lost;
  handler_.on_broken(here_, found, envelope_);
  if (is_line_begin_ && c == '{') begin_object();
}

}  // namespace backup
