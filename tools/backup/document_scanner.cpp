// SPDX-License-Identifier: BSL-1.0
#include "document_scanner.hpp"

#include <boost/json/parse.hpp>

namespace backup {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
/// Longer keys and values of an object with items are ignored.
constexpr std::size_t longest_member = 1024;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Returns a JSON text without quotes and escapes; empty if it is another value.
std::string text_of(std::string_view json) {
  boost::json::error_code status;
  const auto value = boost::json::parse(json, status);
  return !status && value.is_string() ? std::string(value.get_string()) : std::string();
}

}  // namespace

void Position::pass(char c) {
  offset++;
  const bool continues_character = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
  if (c == '\n') {
    line++;
    column = 1;
  } else if (!continues_character) {
    column++;
  }
}

void DocumentScanner::feed(std::string_view piece) {
  for (const char c : piece) {
    const bool is_mark = here_.offset < byte_order_mark.size() && state_ == State::between &&
                         c == byte_order_mark[here_.offset];
    if (is_mark) {
      here_.offset++;
      continue;
    }
    take(c);
    is_line_begin_ = c == '\n';
    here_.pass(c);
  }
}

void DocumentScanner::finish() {
  if (state_ == State::between || state_ == State::lost) return;
  handler_.on_broken(here_, "the file ends inside a document", envelope_);
}

void DocumentScanner::take(char c) {
  if (state_ == State::in_key || state_ == State::in_value || state_ == State::in_element) {
    return take_value(c);
  }
  if (state_ == State::lost) {
    if (is_line_begin_ && c == '{') begin_object();
    return;
  }
  if (is_blank(c)) return;
  switch (state_) {
    case State::between:
      return c == '{' ? begin_object() : break_off(c, "no object begins here");
    case State::key_or_end:
      if (c == '}') return end_object();
      [[fallthrough]];
    case State::key:
      return c == '"' ? begin_value(State::in_key, c) : break_off(c, "no key begins here");
    case State::colon:
      return expect(c, ':', State::value, "there is no colon after a key");
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
  const bool is_items = state == State::in_value && c == '[' && text_of(key_) == "items";
  if (is_items) {
    envelope_.has_items = true;
    state_ = State::element_or_end;
    return;
  }
  state_ = state;
  value_ = here_;
  text_.clear();
  is_kept_ = true;
  scan_.begin();
  take_value(c);
}

void DocumentScanner::take_value(char c) {
  switch (scan_.take(c)) {
    case ValueScan::Step::inside:
      return keep(c);
    case ValueScan::Step::ends_here:
      keep(c);
      return end_value(here_.offset + 1);
    case ValueScan::Step::ends_before:
      end_value(here_.offset);
      return take(c);
    case ValueScan::Step::broken:
      return break_off(c, "a text or a bracket does not end");
  }
}

void DocumentScanner::keep(char c) {
  const std::size_t most = state_ == State::in_element ? largest_element_ : longest_member;
  if (text_.size() < most && is_kept_) {
    text_.push_back(c);
  } else {
    is_kept_ = false;
    text_.clear();
  }
}

void DocumentScanner::end_value(std::uint64_t end) {
  if (state_ == State::in_key) {
    key_ = text_;
    state_ = State::colon;
  } else if (state_ == State::in_value) {
    state_ = State::comma_or_end;
    end_member();
  } else {
    state_ = State::comma_or_items_end;
    handler_.on_element({value_, end - value_.offset}, text_, envelope_);
  }
}

void DocumentScanner::end_member() {
  const std::string key = text_of(key_);
  if (key == "kind") envelope_.kind = text_of(text_);
  if (key == "apiVersion") envelope_.api_version = text_of(text_);
}

void DocumentScanner::break_off(char c, std::string_view found) {
  state_ = State::lost;
  handler_.on_broken(here_, found, envelope_);
  if (is_line_begin_ && c == '{') begin_object();
}

}  // namespace backup
