// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/comment.hpp"

#include <algorithm>
#include <utility>

namespace tenon::gen {
namespace {

/// Returns the number of characters of a UTF-8 text.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

void wrap_paragraph(std::string_view text, std::size_t width, std::vector<std::string>& lines) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && length(line) + 1 + length(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
  }
  lines.push_back(std::move(line));
}

/// Returns the text with a space after the first character of each `mark`.
std::string split_marks(std::string text, std::string_view mark) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    text.insert(at + 1, " ");
  }
  return text;
}

/// Returns the text without what a compiler sees in comments. A trigraph of a backslash at the end
/// of a line continues the comment on the next one, and a carriage return ends it.
std::string plain_text(std::string_view text) {
  std::string plain = split_marks(std::string(text), "?\?/");
  std::replace_if(
      plain.begin(), plain.end(),
      [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }, ' ');
  return plain;
}

}  // namespace

std::vector<std::string> wrap(std::string_view words, std::size_t width) {
  const std::string plain = plain_text(words);
  std::string_view text = plain;
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrap_paragraph(text.substr(0, end), width, lines);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string c_comment(std::string_view text, std::size_t indent) {
  const std::string safe = split_marks(split_marks(std::string(text), "*/"), "/*");
  const std::string margin(indent, ' ');
  const std::size_t around = std::string_view("/*  */").size();
  std::string comment;
  for (const std::string& line : wrap(safe, source_width - indent - around)) {
    comment += margin + (comment.empty() ? "/*" : " *") + (line.empty() ? "" : " ") + line + "\n";
  }
  if (!comment.empty()) comment.insert(comment.size() - 1, " */");
  return comment;
}

}  // namespace tenon::gen
