// SPDX-License-Identifier: BSL-1.0
#include "value_scan.hpp"

namespace backup {
namespace {

bool is_plain_in_text(char c) {
  return c != '"' && c != '\\' && c != '\n';
}

}  // namespace

ValueScan::Taken ValueScan::take(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (in_text_ && !escaped_) {
      while (i < piece.size() && is_plain_in_text(piece[i])) ++i;
      if (i == piece.size()) break;
    }
    switch (take(piece[i])) {
      case Verdict::inside:
        break;
      case Verdict::ends_here:
        return {i + 1, Step::ended};
      case Verdict::ends_before:
        return {i, Step::ended};
      case Verdict::broken:
        return {i, Step::broken};
    }
  }
  return {piece.size(), Step::inside};
}

ValueScan::Verdict ValueScan::take(char c) {
  if (in_text_) return take_in_text(c);
  switch (c) {
    case '"':
      in_text_ = true;
      return is_word_ ? Verdict::broken : Verdict::inside;
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
      if (depth_ != 0) return Verdict::inside;
      return is_word_ ? Verdict::ends_before : Verdict::broken;
    default:
      if (depth_ == 0) is_word_ = true;
      return Verdict::inside;
  }
}

ValueScan::Verdict ValueScan::open(char closing) {
  if (is_word_) return Verdict::broken;
  if (depth_ < watched_levels) closing_[depth_] = closing;
  ++depth_;
  return Verdict::inside;
}

ValueScan::Verdict ValueScan::close(char c) {
  if (depth_ == 0) return is_word_ ? Verdict::ends_before : Verdict::broken;
  --depth_;
  if (depth_ < watched_levels && closing_[depth_] != c) return Verdict::broken;
  return depth_ == 0 ? Verdict::ends_here : Verdict::inside;
}

ValueScan::Verdict ValueScan::take_in_text(char c) {
  if (c == '\n') return Verdict::broken;
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_text_ = false;
    return depth_ == 0 ? Verdict::ends_here : Verdict::inside;
  }
  return Verdict::inside;
}

}  // namespace backup
