// SPDX-License-Identifier: BSL-1.0
#include "selection_check.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/diagnostics.hpp"

namespace backup {
namespace {

using Patterns = std::vector<std::string>;

constexpr std::size_t longest_namespace = 63;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != pattern.npos;
}

/// Returns whether a pattern has only characters of namespaces outside of its wildcards.
bool may_match_namespace(std::string_view pattern) {
  if (!has_wildcard(pattern)) return is_namespace(pattern);
  bool in_brackets = false;
  return std::ranges::all_of(pattern, [&in_brackets](char c) {
    if (c == '[' || c == ']') {
      in_brackets = c == '[';
      return true;
    }
    return in_brackets || c == '*' || c == '?' || c == '-' || is_letter_or_digit(c);
  });
}

tenon::Result<void> check_namespaces(std::string_view option, const Patterns& patterns) {
  const auto wrong = std::ranges::find_if_not(patterns, may_match_namespace);
  if (wrong == patterns.end()) return {};
  return tenon::Error({.code = "wrong-value",
                       .where = std::string(option),
                       .found = *wrong,
                       .needed = "lower-case letters, digits and '-', or a pattern of them with *, "
                                 "? and [...]",
                       .fix = "name the namespaces, separated by commas"});
}

tenon::Result<void> check_resources(std::string_view option, const Patterns& patterns,
                                    const ResourceNames& names) {
  const auto wrong = std::ranges::find_if_not(patterns, [&](const std::string& pattern) {
    return has_wildcard(pattern) || names.knows(pattern);
  });
  if (wrong == patterns.end()) return {};
  return tenon::Error({.code = "unknown-resource",
                       .where = std::string(option),
                       .found = *wrong,
                       .needed = "a resource of Kubernetes or of the documents",
                       .fix = tenon::tools::did_you_mean(
                           *wrong, names.names(),
                           "correct the name, or add the CustomResourceDefinition of the resource "
                           "to the documents")});
}

tenon::Result<void> check_overlap(std::string_view what, Patterns included, Patterns excluded) {
  const auto twice = std::ranges::find_first_of(included, excluded);
  if (twice == included.end()) return {};
  return tenon::Error({.code = "wrong-value",
                       .where = "--exclude-" + std::string(what),
                       .found = *twice + ", which --include-" + std::string(what) + " names, too",
                       .needed = "each name in one of the two options",
                       .fix = "remove it from one of them"});
}

Patterns resolved_patterns(Patterns patterns, const ResourceNames& names) {
  for (std::string& pattern : patterns) pattern = names.resolve(pattern);
  return patterns;
}

}  // namespace

tenon::Result<void> check_selection(const tenon::SelectorV1& selector, const ResourceNames& names) {
  for (const auto& checked :
       {check_namespaces("--include-namespaces", selector.included_namespaces),
        check_namespaces("--exclude-namespaces", selector.excluded_namespaces),
        check_resources("--include-resources", selector.included_resources, names),
        check_resources("--exclude-resources", selector.excluded_resources, names),
        check_overlap("namespaces", selector.included_namespaces, selector.excluded_namespaces),
        check_overlap("resources", resolved_patterns(selector.included_resources, names),
                      resolved_patterns(selector.excluded_resources, names))}) {
    if (!checked) return checked;
  }
  return {};
}

void report_unknown_namespaces(const tenon::SelectorV1& selector, const Items& items,
                               Report& report) {
  report_unknown_namespaces("--include-namespaces", selector.included_namespaces, items, report);
  report_unknown_namespaces("--exclude-namespaces", selector.excluded_namespaces, items, report);
}

void report_unknown_namespaces(std::string_view option, const std::vector<std::string>& names,
                               const Items& items, Report& report) {
  if (names.empty()) return;
  std::set<std::string> known;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const tenon::ResourceIdV1 id = items.id(i);
    known.insert(id.resource == "namespaces" ? id.name : id.in_namespace);
  }
  for (const std::string& name : names) {
    if (has_wildcard(name) || known.contains(name)) continue;
    report.warning(tenon::Error(
        {.code = "unknown-namespace",
         .message = "no item is in this namespace, so " + std::string(option) + " does not apply",
         .where = name,
         .fix =
             tenon::tools::did_you_mean(name, {known.begin(), known.end()}, "correct the name")}));
  }
}

bool is_namespace(std::string_view name) {
  return !name.empty() && name.size() <= longest_namespace && is_letter_or_digit(name.front()) &&
         is_letter_or_digit(name.back()) &&
         std::ranges::all_of(name, [](char c) { return c == '-' || is_letter_or_digit(c); });
}

}  // namespace backup
