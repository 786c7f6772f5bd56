// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/writer.hpp"

namespace tenon::gen {
namespace {

constexpr std::size_t continuation = 4;

std::string joined(const std::vector<std::string>& items, std::string_view between) {
  std::string text;
  for (const std::string& item : items) {
    if (&item != &items.front()) text += between;
    text += item;
  }
  return text;
}

/// Wraps the items to lines of at most `room` columns if possible. Lines other than the last end
/// with `between`, without its trailing space.
std::vector<std::string> filled(const std::vector<std::string>& items, std::string_view between,
                                std::size_t room) {
  const std::string_view mark = between.substr(0, between.find_last_not_of(' ') + 1);
  std::vector<std::string> lines;
  for (const std::string& item : items) {
    const bool last = &item == &items.back();
    const std::string part = item + std::string(last ? std::string_view() : mark);
    if (!lines.empty() && lines.back().size() + 1 + part.size() <= room) {
      lines.back() += " " + part;
    } else {
      lines.push_back(part);
    }
  }
  return lines;
}

}  // namespace

void Writer::add_line(std::string_view text) {
  if (!text.empty()) text_.append(indent_, ' ').append(text);
  text_ += '\n';
}

void Writer::doc(std::string_view indent, std::string_view text) {
  add_comment(std::string(indent) + "/// ", text);
}

void Writer::comment(std::string_view text) {
  add_comment("// ", text);
}

void Writer::add_comment(std::string_view mark, std::string_view text) {
  const std::size_t used = indent_ + mark.size();
  for (const std::string& words : wrap(text, width > used ? width - used : 1)) {
    // A backslash at the end would continue the comment on the next line.
    line(mark, words, !words.empty() && words.back() == '\\' ? " ." : "");
  }
}

void Writer::list(std::string_view before, const std::vector<std::string>& items,
                  std::string_view after) {
  const std::string whole = std::string(before) + joined(items, ", ") + std::string(after);
  if (items.empty() || indent_ + whole.size() <= width) return line(whole);
  line(before.substr(0, before.find_last_not_of(' ') + 1));
  indent_ += continuation;
  const std::size_t room = width - indent_ - after.size();
  std::vector<std::string> lines = filled(items, ", ", room);
  lines.back() += after;
  for (const std::string& text : lines) line(text);
  indent_ -= continuation;
}

void Writer::chain(std::string_view before, const std::vector<std::string>& items,
                   std::string_view between, std::string_view after) {
  const std::string whole = std::string(before) + joined(items, between) + std::string(after);
  if (items.size() < 2 || indent_ + whole.size() <= width) return line(whole);
  // `before` is on one line with the first item.
  line(before, items.front(), between.substr(0, between.find_last_not_of(' ') + 1));
  indent_ += continuation;
  const std::size_t room = width - indent_ - after.size();
  std::vector<std::string> lines = filled({items.begin() + 1, items.end()}, between, room);
  lines.back() += after;
  for (const std::string& text : lines) line(text);
  indent_ -= continuation;
}

void Writer::assign(std::string_view target, std::string_view value) {
  const std::size_t whole =
      indent_ + target.size() + value.size() + std::string_view(" = ;").size();
  if (whole <= width) return line(target, " = ", value, ";");
  line(target, " =");
  indent_ += continuation;
  line(value, ";");
  indent_ -= continuation;
}

void Writer::one_liner(std::string_view head, std::string_view statement) {
  const std::size_t whole =
      indent_ + head.size() + statement.size() + std::string_view(" {  }").size();
  if (whole <= width) return line(head, " { ", statement, " }");
  line(head, " {");
  line("  ", statement);
  line("}");
}

}  // namespace tenon::gen
