// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/comment.hpp"

#include <algorithm>

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

/// Returns the text with a space inside each `mark` of two characters.
std::string split_marks(std::string text, std::string_view mark) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    text.insert(at + 1, " ");
  }
  return text;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
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
