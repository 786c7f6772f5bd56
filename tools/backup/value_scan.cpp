// SPDX-License-Identifier: BSL-1.0
#include "value_scan.hpp"

namespace backup {

ValueScan::Step ValueScan::take(char c) {
  if (in_text_) return take_in_text(c);
  switch (c) {
    case '"':
      in_text_ = true;
      return is_word_ ? Step::broken : Step::inside;
    case '{':
      return open('}');
    case '[':
      return open(']');
    case '}':
    case ']':
      return close(c);
    case ',':
    case ':':
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      if (depth_ != 0) return Step::inside;
      return is_word_ ? Step::ends_before : Step::broken;
    default:
      if (depth_ == 0) is_word_ = true;
      return Step::inside;
  }
}

ValueScan::Step ValueScan::open(char closing) {
  if (is_word_) return Step::broken;
  if (depth_ < watched_levels) closing_[depth_] = closing;
  depth_++;
  return Step::inside;
}

ValueScan::Step ValueScan::close(char c) {
  if (depth_ == 0) return is_word_ ? Step::ends_before : Step::broken;
  depth_--;
  if (depth_ < watched_levels && closing_[depth_] != c) return Step::broken;
  return depth_ == 0 ? Step::ends_here : Step::inside;
}

ValueScan::Step ValueScan::take_in_text(char c) {
  if (c == '\n') return Step::broken;
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_text_ = false;
    return depth_ == 0 ? Step::ends_here : Step::inside;
  }
  return Step::inside;
}

}  // namespace backup
