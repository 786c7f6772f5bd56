// SPDX-License-Identifier: BSL-1.0
//
// Feeds text to the parsers of label selectors, patterns and names of resources. The first two
// lines are selectors, the third is a pattern, the others are labels (`key=value`), names for the
// pattern and resources. Blanks around the parts of a selector must not change its matches, two
// selectors must match like both joined, and opposites must never match the same labels.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backup/resource_names.hpp"
#include "base/plain_text.hpp"
#include "fuzz/fuzzing.hpp"
#include "selection/glob.hpp"
#include "selection/label_selector.hpp"
#include "selection/label_syntax.hpp"

namespace {

using namespace backup;
using namespace tenon::selection;
using tenon::fuzzing::require;
using tenon::fuzzing::take_line;

void require_error(const tenon::Error& error, std::string_view code, std::size_t size) {
  require(error.code() == code && !error.found().empty());
  require(!error.needed().empty() && !error.fix().empty());
  const std::string_view where = error.where();
  const std::string_view column = ", column ";
  const auto at = where.rfind(column);
  require(at != std::string_view::npos);
  const auto number = std::stoul(std::string(where.substr(at + column.size())));
  require(number >= 1 && number <= size + 1);
  const std::string text = error.to_string();
  require(text.size() < 4000);
  for (std::string_view rest = text; !rest.empty();) {
    const auto line = take_line(rest);
    require(tenon::escaped_for_display(line) == line);
  }
}

/// Returns the text with blanks around each special character.
std::string with_blanks(std::string_view text) {
  std::string spaced;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    const bool pair = two == "==" || two == "!=";
    const std::string_view token = pair ? two : two.substr(0, 1);
    const bool special = std::string_view("=!(),<>").find(token[0]) != std::string_view::npos;
    spaced += special ? " " + std::string(token) + "\t" : std::string(token);
    if (pair) ++i;
  }
  return spaced;
}

std::optional<LabelSelector> read_selector(std::string_view text) {
  auto selector = LabelSelector::parse(text);
  const auto spaced = LabelSelector::parse(with_blanks(text));
  require(selector.has_value() == spaced.has_value());
  if (selector) return std::move(*selector);
  require_error(selector.error(), "bad-label-selector", text.size());
  return std::nullopt;
}

/// Checks that both selectors match like both joined to one.
void check_joined(std::string_view first, std::string_view second, const Labels& labels) {
  const auto a = read_selector(first);
  const auto b = read_selector(second);
  const auto joined = LabelSelector::parse(std::string(first) + "," + std::string(second));
  if (!a || !b || a->empty() || b->empty()) return require(!joined || !a || !b);
  require(joined.has_value());
  require(joined->matches(labels) == (a->matches(labels) && b->matches(labels)));
  require(LabelSelector::parse(with_blanks(first))->matches(labels) == a->matches(labels));
}

/// Checks requirements on a label against their opposites.
void check_opposites(const std::string& key, const std::string& value, const Labels& labels) {
  if (flaw_of_label_key(key) || flaw_of_label_value(value)) return;
  const auto matches = [&labels](const std::string& selector) {
    return LabelSelector::parse(selector).value().matches(labels);
  };
  const bool equal = matches(key + "=" + value);
  require(equal != matches(key + "!=" + value));
  require(matches(key + " in (" + value + ",)") != matches(key + " notin (" + value + ",)"));
  require(!equal || matches(key + " in (" + value + ",)"));
  require(matches(key) != matches("!" + key));
}

/// Matches a pattern by trying each `*` at every place.
bool matches_naively(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  for (const char c : pattern) {
    if (c == '*') {
      const auto first = std::find(reached.begin(), reached.end(), true);
      std::fill(first, reached.end(), true);
      continue;
    }
    for (std::size_t i = text.size(); i > 0; --i) {
      reached[i] = reached[i - 1] && (c == '?' || c == text[i - 1]);
    }
    reached[0] = false;
  }
  return reached[text.size()];
}

void check_pattern(std::string_view pattern, std::string_view text) {
  const auto glob = Glob::compile(pattern);
  if (!glob) return require_error(glob.error(), "bad-pattern", pattern.size());
  if (glob->literal()) {
    require(glob->matches(*glob->literal()));
    require(glob->matches(text) == (text == *glob->literal()));
  }
  if (pattern.find_first_of("[\\") != std::string_view::npos) return;
  require(glob->matches(text) == matches_naively(pattern, text));
}

void check_resource(const std::string& written) {
  ResourceNames names;
  const std::string resource = names.resolve(written);
  require(names.resolve(resource) == resource);
  const std::string guessed = names.resource_of("apps/v1", written);
  require(guessed.empty() ? written.empty() : guessed.ends_with(".apps"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzzing::text_of(data, size);
  const auto first = take_line(text);
  const auto second = take_line(text);
  const auto pattern = take_line(text);
  Labels labels;
  check_joined(first, second, labels);
  check_pattern(pattern, "");
  while (!text.empty()) {
    const std::string line(take_line(text));
    const std::string key = line.substr(0, line.find('='));
    labels[key] = line.substr(std::min(key.size() + 1, line.size()));
    check_opposites(key, labels[key], labels);
    check_pattern(pattern, line);
    check_resource(line);
  }
  check_joined(first, second, labels);
  return 0;
}
