// SPDX-License-Identifier: BSL-1.0
#include "gen/read/name_checker.hpp"

#include "gen/model/naming.hpp"

#include <algorithm>
#include <cctype>

namespace tenon::gen {
namespace {

constexpr std::size_t longest_domain = 253;
constexpr std::size_t longest_label = 63;

std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// The good name nearest to a bad one: "applyNow" -> "apply_now"; empty where none is near.
std::string snake_case(std::string_view name) {
  std::string snake;
  bool after_lower = false;
  for (unsigned char c : name) {
    const bool is_upper = std::isupper(c) != 0;
    if (is_upper && after_lower) snake += '_';
    snake += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    after_lower = !is_upper && std::isalnum(c) != 0;
  }
  return is_snake_case(snake) ? snake : "";
}

bool is_label(std::string_view label) noexcept {
  const auto is_inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !label.empty() && label.size() <= longest_label && label.front() != '-' &&
         label.back() != '-' && std::all_of(label.begin(), label.end(), is_inner);
}

bool is_domain(std::string_view domain) noexcept {
  if (domain.size() > longest_domain) return false;
  for (;;) {
    const std::size_t dot = domain.find('.');
    if (!is_label(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

}  // namespace

void check_name(const std::string& name, const Place& place, std::string_view what, NameUse use,
                Findings& findings) {
  if (!is_snake_case(name)) {
    const std::string better = snake_case(name);
    findings.add({.place = place,
                  .code = "bad-name",
                  .what = "'" + name + "' cannot name a " + std::string(what),
                  .needed = "small letters, digits and single '_' between them, a letter first",
                  .fix = better.empty() ? "choose such a name" : "write '" + better + "'"});
  } else if (use == NameUse::member && is_keyword(name)) {
    findings.add({.place = place,
                  .code = "bad-name",
                  .what = "'" + name + "' is a word that C or C++ keep for themselves",
                  .needed = "a name that both languages leave to others",
                  .fix = "choose another name, such as '" + name + "_" + std::string(what) + "'"});
  }
}

Names::Names(std::string what, NameUse use, std::vector<std::string> reserved, Findings& findings)
    : what_(std::move(what)), use_(use), reserved_(std::move(reserved)), findings_(findings) {}

void Names::add(const std::string& name, const Place& place) {
  const std::string small = lower_case(name);
  const auto [at, is_new] = first_.emplace(camel_case(small), First{name, place});
  if (is_new) {
    check_name(name, place, what_, use_, findings_);
    if (std::find(reserved_.begin(), reserved_.end(), name) != reserved_.end()) {
      findings_.add({.place = place,
                     .code = "name-taken",
                     .what = "'" + name + "' cannot name a " + what_,
                     .found = "a member of that name stands in the same place of each header",
                     .fix = "choose another name"});
    }
    return;
  }
  const First& first = at->second;
  const std::string before = "the first on line " + std::to_string(first.place.line);
  if (first.name == name) {
    findings_.add({.place = place,
                   .code = "duplicate-name",
                   .what = "the " + what_ + " '" + name + "' stands twice",
                   .found = before,
                   .fix = "remove or rename one of the two"});
  } else {
    const bool by_case = lower_case(first.name) == small;
    findings_.add({.place = place,
                   .code = by_case ? "differs-by-case" : "name-taken",
                   .what = "'" + name + "' and '" + first.name + "' " +
                           (by_case ? "differ only by case" : "become one name in C++"),
                   .found = before,
                   .fix = "rename one of the two"});
  }
}

std::string flaw_of_id(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return "has no '/'";
  const std::string_view domain = id.substr(0, slash);
  const std::string_view name = id.substr(slash + 1);
  if (!is_domain(domain)) return "does not begin with a domain";
  if (!is_snake_case(name)) return "does not end with a name in small letters, digits and '_'";
  std::string space(domain.substr(0, domain.find('.')));
  std::replace(space.begin(), space.end(), '-', '_');
  if (!is_snake_case(space) || is_keyword(space) || space == "std") {
    return "has a first label that cannot be a namespace of C++";
  }
  return {};
}

}  // namespace tenon::gen
