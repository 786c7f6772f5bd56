// SPDX-License-Identifier: BSL-1.0
#include "selection/label_selector.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "selection/label_syntax.hpp"
#include "selection/written_text.hpp"

namespace tenon::selection {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view specials = "=!(),><";

/// Parses a 64-bit integer. Returns nothing if the text is not one.
std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Flaw flaw_from(const LabelFlaw& label) {
  Flaw flaw{.offset = label.offset, .found = in_quotes(label.part), .needed = label.needed};
  if (label.is_too_long) {
    flaw.found += " of " + std::to_string(label.part.size()) + " characters";
  }
  return flaw;
}

}  // namespace

/// Compiles one selector from left to right. Functions that return false have set the flaw.
class LabelSelectorReader {
 public:
  explicit LabelSelectorReader(std::string_view text) : text_(text) { next(); }

  bool read();
  LabelSelector selector() { return std::move(selector_); }
  Flaw flaw() { return std::move(flaw_); }

 private:
  using Operator = LabelSelector::Operator;
  using Requirement = LabelSelector::Requirement;

  bool read_requirement();
  bool read_key(Requirement& requirement);
  bool read_operation(Requirement& requirement);
  bool read_values(Requirement& requirement);
  bool read_value(Requirement& requirement);
  bool read_bound(Requirement& requirement);

  // A token is a word, `==`, `!=`, or one special character; it is empty at the end.
  void next();
  bool take(std::string_view token);
  bool at_end() const { return token_.empty(); }
  bool at_word() const { return !at_end() && specials.find(token_[0]) == std::string_view::npos; }
  std::size_t offset() const { return static_cast<std::size_t>(token_.data() - text_.data()); }

  bool fail(std::string_view needed, std::string_view fix);
  bool fail(Flaw flaw, std::string_view fix);

  std::string_view text_;
  std::string_view token_;
  std::size_t at_ = 0;  // after the token
  LabelSelector selector_;
  Flaw flaw_;
};

bool LabelSelectorReader::read() {
  if (at_end()) return true;
  selector_.alternatives_.emplace_back();
  for (;;) {
    if (!read_requirement()) return false;
    if (at_end()) return true;
    if (take("or")) {
      selector_.alternatives_.emplace_back();
    } else if (!take(",")) {
      return fail("',', 'or' or the end", "separate requirements with commas");
    }
  }
}

bool LabelSelectorReader::read_requirement() {
  Requirement requirement;
  const bool absent = take("!");
  if (!read_key(requirement)) return false;
  if (absent) {
    requirement.op = Operator::absent;
  } else if (!at_end() && token_ != "," && token_ != "or" && !read_operation(requirement)) {
    return false;
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  selector_.alternatives_.back().push_back(std::move(requirement));
  return true;
}

bool LabelSelectorReader::read_key(Requirement& requirement) {
  if (!at_word()) return fail("a label key", "write a label here, eg: app=web");
  if (auto flaw = flaw_of_label_key(token_)) return fail(flaw_from(*flaw), "correct the key");
  requirement.key = token_;
  next();
  return true;
}

bool LabelSelectorReader::read_operation(Requirement& requirement) {
  struct Operation {
    std::string_view token;
    Operator op;
    bool (LabelSelectorReader::*read_operand)(Requirement&);
  };
  constexpr Operation operations[] = {
      {"=", Operator::in, &LabelSelectorReader::read_value},
      {"==", Operator::in, &LabelSelectorReader::read_value},
      {"!=", Operator::not_in, &LabelSelectorReader::read_value},
      {"in", Operator::in, &LabelSelectorReader::read_values},
      {"notin", Operator::not_in, &LabelSelectorReader::read_values},
      {">", Operator::above, &LabelSelectorReader::read_bound},
      {"<", Operator::below, &LabelSelectorReader::read_bound},
  };
  for (const Operation& operation : operations) {
    if (!take(operation.token)) continue;
    requirement.op = operation.op;
    return (this->*operation.read_operand)(requirement);
  }
  return fail("=, ==, !=, in, notin, >, <, ',', 'or' or the end",
              "write an operator after the key");
}

bool LabelSelectorReader::read_values(Requirement& requirement) {
  constexpr std::string_view fix = "write the values as (a,b)";
  if (!take("(")) return fail("'('", fix);
  if (token_ == ")") return fail("a value", "write at least one value, or (,) for the empty value");
  for (;;) {
    if (!read_value(requirement)) return false;
    if (take(")")) return true;
    if (!take(",")) return fail("',' or ')'", fix);
  }
}

// A value is empty if it is followed immediately by a comma, a parenthesis or the end.
bool LabelSelectorReader::read_value(Requirement& requirement) {
  if (at_end() || token_ == "," || token_ == ")") {
    requirement.values.emplace_back();
    return true;
  }
  if (!at_word()) return fail("a label value", "write a value, or nothing for the empty value");
  if (auto flaw = flaw_of_label_value(token_)) return fail(flaw_from(*flaw), "correct the value");
  requirement.values.emplace_back(token_);
  next();
  return true;
}

// The bound has to be a valid label value, so it has no sign.
bool LabelSelectorReader::read_bound(Requirement& requirement) {
  const bool value = at_word() && !flaw_of_label_value(token_);
  const auto number = value ? number_of(token_) : std::nullopt;
  if (!number) {
    return fail("an integer from 0 to 9223372036854775807", "write such an integer, eg: cores>3");
  }
  requirement.bound = *number;
  next();
  return true;
}

void LabelSelectorReader::next() {
  const std::size_t start = std::min(text_.find_first_not_of(blanks, at_), text_.size());
  std::size_t end = std::min(text_.find_first_of(" \t\r\n=!(),><", start), text_.size());
  if (end == start && start < text_.size()) {
    const std::string_view two = text_.substr(start, 2);
    end += two == "==" || two == "!=" ? 2 : 1;
  }
  token_ = text_.substr(start, end - start);
  at_ = end;
}

bool LabelSelectorReader::take(std::string_view token) {
  if (token_ != token) return false;
  next();
  return true;
}

bool LabelSelectorReader::fail(std::string_view needed, std::string_view fix) {
  flaw_ = {.offset = offset(),
           .found = at_end() ? "the end" : in_quotes(token_),
           .needed = std::string(needed),
           .fix = std::string(fix)};
  return false;
}

bool LabelSelectorReader::fail(Flaw flaw, std::string_view fix) {
  flaw_ = std::move(flaw);
  flaw_.offset += offset();
  flaw_.fix = fix;
  return false;
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelectorReader reader(text);
  if (!reader.read()) return error_in(text, "bad-label-selector", reader.flaw());
  return reader.selector();
}

bool LabelSelector::matches(const Labels& labels) const {
  const auto met = [&](const Requirement& requirement) { return requirement.matches(labels); };
  return empty() || std::ranges::any_of(alternatives_, [&](const auto& requirements) {
           return std::ranges::all_of(requirements, met);
         });
}

bool LabelSelector::Requirement::matches(const Labels& labels) const {
  const auto label = labels.find(key);
  if (label == labels.end()) return op == Operator::absent || op == Operator::not_in;
  return matches(label->second);
}

bool LabelSelector::Requirement::matches(const std::string& value) const {
  switch (op) {
    case Operator::in:
      return std::binary_search(values.begin(), values.end(), value);
    case Operator::not_in:
      return !std::binary_search(values.begin(), values.end(), value);
    case Operator::exists:
      return true;
    case Operator::absent:
      return false;
    case Operator::above:
    case Operator::below:
      break;
  }
  const auto number = number_of(value);
  return number && (op == Operator::above ? *number > bound : *number < bound);
}

}  // namespace tenon::selection
