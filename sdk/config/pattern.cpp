// SPDX-License-Identifier: BSL-1.0
#include "config/pattern.hpp"

#include <charconv>
#include <utility>

namespace tenon::config {
namespace {

using Characters = std::bitset<256>;

Characters range(char first, char last) {
  Characters characters;
  const auto end = static_cast<unsigned char>(last);
  for (std::size_t c = static_cast<unsigned char>(first); c <= end; ++c) characters.set(c);
  return characters;
}

Characters only(std::string_view all) {
  Characters characters;
  for (const char c : all) characters.set(static_cast<unsigned char>(c));
  return characters;
}

bool contains(const Characters& characters, char c) {
  return characters.test(static_cast<unsigned char>(c));
}

/// Returns the characters of the escapes \d, \w and \s; none for other escapes.
Characters named(char escape) {
  if (escape == 'd') return range('0', '9');
  if (escape == 'w') return range('a', 'z') | range('A', 'Z') | named('d') | only("_");
  return escape == 's' ? only(" \t\n\v\f\r") : Characters();
}

}  // namespace

/// Compiles one pattern from left to right. Functions that return false have set the flaw.
class PatternReader {
 public:
  using Step = Pattern::Step;
  using Steps = std::vector<Step>;

  explicit PatternReader(std::string_view text) : text_(text) {}

  bool read(Steps& steps);
  std::string flaw() { return std::move(flaw_); }

 private:
  bool read_alternatives(Steps& steps);
  bool read_sequence(Steps& steps);
  bool read_item(Steps& steps);
  bool read_group(Steps& steps);
  bool read_repetition(Steps& item);
  bool read_counts(std::size_t& least, std::size_t& most);
  bool read_class(Characters& characters);
  bool read_member(Characters& characters);
  bool read_escape(Characters& characters);

  bool repeat(Steps& item, std::size_t least, std::size_t most);
  bool append(Steps& steps, const Steps& more);

  bool at_end() const { return at_ == text_.size(); }
  bool next_is(char c) const { return !at_end() && text_[at_] == c; }
  bool take(std::string_view token);
  bool fail(std::size_t at, std::string_view problem);

  static constexpr std::size_t any_number = static_cast<std::size_t>(-1);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::string flaw_;
};

bool PatternReader::read(Steps& steps) {
  if (text_.size() > Pattern::longest_text) {
    flaw_ = "it has " + std::to_string(text_.size()) + " bytes, at most " +
            std::to_string(Pattern::longest_text) + " are possible";
    return false;
  }
  if (!read_alternatives(steps)) return false;
  return at_end() || fail(at_, "ends no group");
}

bool PatternReader::read_alternatives(Steps& steps) {
  if (!read_sequence(steps)) return false;
  while (take("|")) {
    Steps other;
    if (!read_sequence(other)) return false;
    const auto first = static_cast<std::ptrdiff_t>(steps.size());
    const auto second = static_cast<std::ptrdiff_t>(other.size());
    steps.insert(steps.begin(), {.sort = Step::Sort::fork, .distance = first + 2});
    steps.push_back({.sort = Step::Sort::jump, .distance = second + 1});
    if (!append(steps, other)) return false;
  }
  return true;
}

bool PatternReader::read_sequence(Steps& steps) {
  while (!at_end() && !next_is('|') && !next_is(')')) {
    Steps item;
    if (!read_item(item) || !append(steps, item)) return false;
  }
  return true;
}

bool PatternReader::read_item(Steps& steps) {
  const std::size_t start = at_;
  for (const auto& [token, sort] : {std::pair("^", Step::Sort::begin),
                                    {"$", Step::Sort::end},
                                    {"\\b", Step::Sort::edge},
                                    {"\\B", Step::Sort::no_edge}}) {
    if (!take(token)) continue;
    steps.push_back({.sort = sort});
    return true;
  }
  if (next_is('(')) {
    if (!read_group(steps)) return false;
  } else {
    Characters characters;
    if (take(".")) {
      characters = ~only("\n\r");
    } else if (take("[")) {
      if (!read_class(characters)) return false;
    } else if (next_is('\\')) {
      if (!read_escape(characters)) return false;
    } else if (contains(only("*+?{"), text_[at_])) {
      return fail(start, "has nothing to repeat; write \\ before it to match the character");
    } else {
      characters = only(text_.substr(at_++, 1));
    }
    steps.push_back({.characters = characters});
  }
  return read_repetition(steps);
}

bool PatternReader::read_group(Steps& steps) {
  const std::size_t start = at_++;
  if (!take("?:") && next_is('?')) {
    return fail(start, "begins a group that is not supported; only (...) and (?:...) are");
  }
  if (++depth_ > Pattern::deepest_groups) {
    return fail(start, "is in more than " + std::to_string(Pattern::deepest_groups) + " groups");
  }
  if (!read_alternatives(steps)) return false;
  --depth_;
  return take(")") || fail(start, "begins a group without )");
}

bool PatternReader::read_repetition(Steps& item) {
  std::size_t least = 0;
  std::size_t most = any_number;
  if (take("+")) {
    least = 1;
  } else if (take("?")) {
    most = 1;
  } else if (next_is('{')) {
    if (!read_counts(least, most)) return false;
  } else if (!take("*")) {
    return true;
  }
  take("?");  // whether a match is as short as possible does not matter
  return repeat(item, least, most);
}

bool PatternReader::read_counts(std::size_t& least, std::size_t& most) {
  const std::size_t start = at_++;
  const auto read_count = [this](std::size_t& count) {
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), count);
    at_ += static_cast<std::size_t>(end - begin);
    return error == std::errc();
  };
  bool good = read_count(least);
  if (!take(",")) {
    most = least;
  } else if (!next_is('}')) {
    good = read_count(most) && good;
  }
  if (good && least <= most && take("}")) return true;
  return fail(start, "is neither {2} nor {2,} nor {2,5}; write \\{ to match the character");
}

bool PatternReader::repeat(Steps& item, std::size_t least, std::size_t most) {
  const Steps once = std::exchange(item, {});
  const auto size = static_cast<std::ptrdiff_t>(once.size());
  // An empty item may be repeated any number of times.
  if (once.empty()) return true;
  for (std::size_t i = 0; i < least; ++i) {
    if (!append(item, once)) return false;
  }
  if (most == any_number) {
    item.push_back({.sort = Step::Sort::fork, .distance = size + 2});
    if (!append(item, once)) return false;
    item.push_back({.sort = Step::Sort::jump, .distance = -size - 1});
    return true;
  }
  for (std::size_t i = least; i < most; ++i) {
    item.push_back({.sort = Step::Sort::fork, .distance = size + 1});
    if (!append(item, once)) return false;
  }
  return true;
}

// Reads a class after its `[`.
bool PatternReader::read_class(Characters& characters) {
  const std::size_t start = at_ - 1;
  const bool inverted = take("^");
  if (next_is(']')) return fail(start, "begins a class without characters; write \\] for a ]");
  while (!take("]")) {
    if (at_end()) return fail(start, "begins a class without ]");
    if (!read_member(characters)) return false;
  }
  if (inverted) characters.flip();
  return true;
}

// A `-` at the beginning or end of a class is the character itself.
bool PatternReader::read_member(Characters& characters) {
  const std::size_t start = at_;
  for (const std::string_view unsupported : {"[:", "[.", "[="}) {
    if (text_.substr(at_).starts_with(unsupported)) {
      return fail(at_, "begins a named class, which is not supported; write \\[ for a [");
    }
  }
  const auto read_one = [this](Characters& into) {
    if (next_is('\\')) return read_escape(into);
    into = only(text_.substr(at_++, 1));
    return true;
  };
  Characters first;
  if (!read_one(first)) return false;
  const bool is_range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
  if (is_range) {
    ++at_;
    Characters last;
    if (!read_one(last)) return false;
    const auto index = [](const Characters& one) {
      std::size_t c = 0;
      while (!one.test(c)) ++c;
      return c;
    };
    if (first.count() != 1 || last.count() != 1 || index(first) > index(last)) {
      return fail(start, "begins a range that is not from a lower to a higher character");
    }
    first = range(static_cast<char>(index(first)), static_cast<char>(index(last)));
  }
  characters |= first;
  return true;
}

bool PatternReader::read_escape(Characters& characters) {
  const std::size_t start = at_++;
  if (at_end()) return fail(start, "has no character after it; write \\\\ to match the character");
  const char c = text_[at_++];
  constexpr std::string_view controls = "ntrfv";
  if (c == 'x') {
    const std::string_view code = text_.substr(at_, 2);
    unsigned char value = 0;
    const char* const end = code.data() + code.size();
    if (code.size() < 2 || std::from_chars(code.data(), end, value, 16).ptr != end) {
      return fail(start, "is not followed by two hexadecimal digits");
    }
    at_ += 2;
    characters = Characters().set(value);
  } else if (named(c).any()) {
    characters = named(c);
  } else if (named(static_cast<char>(c | 0x20)).any()) {
    characters = ~named(static_cast<char>(c | 0x20));
  } else if (const std::size_t control = controls.find(c); control != controls.npos) {
    characters = only(std::string_view("\n\t\r\f\v").substr(control, 1));
  } else {
    // Letters and digits have different meanings in other syntaxes.
    if (c != '_' && contains(named('w'), c)) return fail(start, "begins an unknown escape");
    characters = only({&c, 1});
  }
  return true;
}

bool PatternReader::append(Steps& steps, const Steps& more) {
  if (steps.size() + more.size() > Pattern::most_steps) {
    flaw_ = "its repetitions have together more than " + std::to_string(Pattern::most_steps) +
            " steps; write smaller numbers";
    return false;
  }
  steps.insert(steps.end(), more.begin(), more.end());
  return true;
}

bool PatternReader::take(std::string_view token) {
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool PatternReader::fail(std::size_t at, std::string_view problem) {
  flaw_ = "the " + std::string(text_.substr(at, 1)) + " at byte " + std::to_string(at + 1) + " " +
          std::string(problem);
  return false;
}

/// Follows all ways through a pattern at once: no step is visited twice at one place of the value.
class Pattern::Search {
 public:
  Search(const std::vector<Step>& steps, std::string_view value)
      : steps_(steps), value_(value), visited_(steps.size(), nowhere) {}

  bool run() {
    for (std::size_t at = 0;; ++at) {
      if (enter(0, at)) return true;  // a match may begin anywhere
      if (at == value_.size()) return false;
      std::swap(current_, waiting_);
      waiting_.clear();
      for (const std::size_t step : current_) {
        if (contains(steps_[step].characters, value_[at]) && enter(step + 1, at + 1)) return true;
      }
    }
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  /// Follows the steps that consume no character, from a step at a place of the value. Returns
  /// whether one of the ways is a match.
  bool enter(std::size_t step, std::size_t at) {
    pending_.assign(1, step);
    while (!pending_.empty()) {
      step = pending_.back();
      pending_.pop_back();
      if (step == steps_.size()) return true;
      if (std::exchange(visited_[step], at) == at) continue;
      const auto& [sort, distance, characters] = steps_[step];
      if (sort == Step::Sort::characters) {
        waiting_.push_back(step);
        continue;
      }
      if (sort == Step::Sort::fork || sort == Step::Sort::jump) {
        pending_.push_back(step + static_cast<std::size_t>(distance));
      }
      if (sort == Step::Sort::fork || holds(sort, at)) pending_.push_back(step + 1);
    }
    return false;
  }

  bool holds(Step::Sort sort, std::size_t at) const {
    const bool after_word = at > 0 && contains(word_, value_[at - 1]);
    const bool before_word = at < value_.size() && contains(word_, value_[at]);
    switch (sort) {
      case Step::Sort::begin:
        return at == 0;
      case Step::Sort::end:
        return at == value_.size();
      case Step::Sort::edge:
        return after_word != before_word;
      case Step::Sort::no_edge:
        return after_word == before_word;
      default:
        return false;
    }
  }

  const std::vector<Step>& steps_;
  const std::string_view value_;
  const Characters word_ = named('w');
  std::vector<std::size_t> visited_;  // by step: the place where it was visited last
  std::vector<std::size_t> current_, waiting_, pending_;
};

std::optional<Pattern> Pattern::compile(std::string_view text, std::string& flaw) {
  PatternReader reader(text);
  Pattern pattern;
  if (reader.read(pattern.steps_)) return pattern;
  flaw = reader.flaw();
  return std::nullopt;
}

bool Pattern::matches_part_of(std::string_view value) const {
  return Search(steps_, value).run();
}

}  // namespace tenon::config
