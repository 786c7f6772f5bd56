// SPDX-License-Identifier: BSL-1.0
#include "selection/glob.hpp"

#include <utility>

#include "selection/written_text.hpp"

namespace tenon::selection {

/// Compiles one pattern from left to right. Functions that return false have set the flaw.
class GlobReader {
 public:
  explicit GlobReader(std::string_view pattern) : pattern_(pattern) {}

  bool read();
  Glob glob() { return std::move(glob_); }
  Flaw flaw() { return std::move(flaw_); }

 private:
  bool read_step();
  bool read_class();
  bool read_members(std::size_t start);
  bool read_range(std::bitset<256>& characters);
  bool read_character(char& c);

  bool at_end() const { return at_ == pattern_.size(); }
  bool take(char c);
  bool fail(std::size_t offset, std::string found, std::string needed, std::string fix);

  void add_character(char c);
  void add_wildcard(Glob::Step step);

  std::string_view pattern_;
  std::size_t at_ = 0;
  Glob glob_;
  Flaw flaw_;
};

bool GlobReader::read() {
  if (pattern_.empty()) {
    return fail(0, "an empty pattern", "a name or a pattern",
                "write * to match all names, or remove the pattern");
  }
  if (pattern_.size() > Glob::longest_pattern) {
    return fail(Glob::longest_pattern, std::to_string(pattern_.size()) + " characters",
                "at most " + std::to_string(Glob::longest_pattern), "write several patterns");
  }
  while (!at_end()) {
    if (!read_step()) return false;
  }
  return true;
}

bool GlobReader::read_step() {
  if (take('*')) {
    add_wildcard({.any_text = true});
    return true;
  }
  if (take('?')) {
    add_wildcard({.characters = std::bitset<256>().set()});
    return true;
  }
  if (take('[')) return read_class();
  if (pattern_[at_] == '{' || pattern_[at_] == '}') {
    return fail(at_, in_quotes(pattern_.substr(at_, 1)), "a pattern of *, ?, [a-z] and characters",
                "write one pattern for each alternative, or \\ before the character");
  }
  char c = 0;
  if (!read_character(c)) return false;
  add_character(c);
  return true;
}

// Reads a class after its `[`.
bool GlobReader::read_class() {
  const std::size_t start = at_ - 1;
  const bool inverted = take('!');
  if (!at_end() && pattern_[at_] == '^') {
    return fail(at_, "\"^\" at the beginning of a class", "[!a-z], or [\\^] for the character",
                "write ! instead of ^, or \\ before it");
  }
  if (!at_end() && pattern_[at_] == ']') {
    return fail(at_, "a class without characters", "characters between [ and ]",
                "write \\] to match the character");
  }
  if (!read_members(start)) return false;
  if (inverted) glob_.steps_.back().characters.flip();
  return true;
}

bool GlobReader::read_members(std::size_t start) {
  Glob::Step step;
  while (!take(']')) {
    if (at_end()) {
      return fail(start, "a [ without a ]", "a ] after the characters of the class",
                  "add the ], or write \\[ to match the character");
    }
    if (!read_range(step.characters)) return false;
  }
  add_wildcard(step);
  return true;
}

// A `-` at the beginning or end of a class is the character itself.
bool GlobReader::read_range(std::bitset<256>& characters) {
  const std::size_t start = at_;
  if (pattern_.substr(at_, 2) == "[:") {
    return fail(at_, "\"[:\" in a class", "characters and ranges, such as a-z",
                "write the characters of the class, or \\[ to match the character");
  }
  char first = 0;
  if (!read_character(first)) return false;
  char last = first;
  const bool range = at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']';
  if (range) {
    ++at_;
    if (!read_character(last)) return false;
  }
  const auto low = static_cast<unsigned char>(first);
  const auto high = static_cast<unsigned char>(last);
  if (low > high) {
    return fail(start, "the range " + in_quotes(pattern_.substr(start, at_ - start)),
                "a range from a lower to a higher character", "swap its two ends");
  }
  for (std::size_t c = low; c <= high; ++c) characters.set(c);
  return true;
}

bool GlobReader::read_character(char& c) {
  take('\\');
  if (at_end()) {
    return fail(at_ - 1, "a \\ at the end", "a character after the \\",
                "write \\\\ to match the character");
  }
  c = pattern_[at_++];
  return true;
}

bool GlobReader::take(char c) {
  if (at_end() || pattern_[at_] != c) return false;
  ++at_;
  return true;
}

bool GlobReader::fail(std::size_t offset, std::string found, std::string needed, std::string fix) {
  flaw_ = {offset, std::move(found), std::move(needed), std::move(fix)};
  return false;
}

void GlobReader::add_character(char c) {
  Glob::Step step;
  step.characters.set(static_cast<unsigned char>(c));
  glob_.steps_.push_back(step);
  if (glob_.literal_) *glob_.literal_ += c;
}

void GlobReader::add_wildcard(Glob::Step step) {
  glob_.steps_.push_back(step);
  glob_.literal_.reset();
}

Result<Glob> Glob::compile(std::string_view pattern) {
  GlobReader reader(pattern);
  if (!reader.read()) return error_in(pattern, "bad-pattern", reader.flaw());
  return reader.glob();
}

// Backtracks only to the last `*`: if an earlier one could match more, the last one can as well.
bool Glob::matches(std::string_view text) const {
  const std::size_t none = steps_.size();
  std::size_t step = 0;
  std::size_t at = 0;
  std::size_t star = none;
  std::size_t star_end = 0;
  while (at < text.size()) {
    if (step < steps_.size() && steps_[step].any_text) {
      star = step++;
      star_end = at;
    } else if (step < steps_.size() && steps_[step].matches(text[at])) {
      ++step;
      ++at;
    } else if (star != none) {
      step = star + 1;
      at = ++star_end;
    } else {
      return false;
    }
  }
  while (step < steps_.size() && steps_[step].any_text) ++step;
  return step == steps_.size();
}

}  // namespace tenon::selection
