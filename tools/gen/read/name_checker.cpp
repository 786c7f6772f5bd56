// SPDX-License-Identifier: BSL-1.0
#include "gen/read/name_checker.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

constexpr std::size_t longest_domain = 253;
/// The names of generated files are longer, and file systems allow 255 bytes.
constexpr std::size_t longest_name = 200;
constexpr std::size_t longest_label = 63;

std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// Returns a valid name for an invalid one: "applyNow" -> "apply_now"; empty if there is none.
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

void check_name(const std::string& name, const SourceLocation& location, std::string_view what,
                NameUse use, Diagnostics& diagnostics) {
  if (!is_snake_case(name)) {
    const std::string better = snake_case(name);
    diagnostics.add(
        {.location = location,
         .code = "bad-name",
         .message = "'" + name + "' cannot name a " + std::string(what),
         .needed = "lower-case letters, digits and single '_' between them, a letter first",
         .fix = better.empty() ? "choose a valid name" : "write '" + better + "'"});
  } else if (use == NameUse::member && is_keyword(name)) {
    diagnostics.add(
        {.location = location,
         .code = "bad-name",
         .message = "'" + name + "' is a word, macro or type of C, C++ or tenon",
         .needed = "a name that is not reserved",
         .fix = "choose another name, such as '" + name + "_" + std::string(what) + "'"});
  } else if (const auto header = header_of_macro(name); use == NameUse::member && !header.empty()) {
    diagnostics.add(
        {.location = location,
         .code = "bad-name",
         .message = "'" + name + "' is a macro of <" + std::string(header) +
                    ">, after which generated code would not compile",
         .needed = "a name that no header replaces",
         .fix = "choose another name, such as '" + name + "_" + std::string(what) + "'"});
  }
}

Names::Names(std::string what, NameUse use, std::vector<std::string> reserved,
             Diagnostics& diagnostics)
    : what_(std::move(what)),
      use_(use),
      reserved_(std::move(reserved)),
      diagnostics_(diagnostics) {}

void Names::add(const std::string& name, const SourceLocation& location) {
  const std::string small = lower_case(name);
  const auto [at, is_new] = first_.emplace(camel_case(small), First{name, location});
  if (is_new) {
    check_name(name, location, what_, use_, diagnostics_);
    if (std::find(reserved_.begin(), reserved_.end(), name) != reserved_.end()) {
      diagnostics_.add({.location = location,
                        .code = "name-taken",
                        .message = "'" + name + "' cannot name a " + what_,
                        .found = "generated code uses this name in the same scope",
                        .fix = "choose another name"});
    }
    return;
  }
  const First& first = at->second;
  const std::string before = "the first on line " + std::to_string(first.location.line);
  if (first.name == name) {
    diagnostics_.add({.location = location,
                      .code = "duplicate-name",
                      .message = "the " + what_ + " '" + name + "' occurs twice",
                      .found = before,
                      .fix = "remove or rename one of the two"});
  } else {
    const bool by_case = lower_case(first.name) == small;
    diagnostics_.add({.location = location,
                      .code = by_case ? "differs-by-case" : "name-taken",
                      .message = "'" + name + "' and '" + first.name + "' " +
                                 (by_case ? "differ only by case" : "become the same name in C++"),
                      .found = before,
                      .fix = "rename one of the two"});
  }
}

std::string id_problem(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return "has no '/'";
  const std::string_view domain = id.substr(0, slash);
  const std::string_view name = id.substr(slash + 1);
  if (!is_domain(domain)) return "does not begin with a domain";
  if (name.size() > longest_name) return "has more than 200 characters after the '/'";
  if (!is_snake_case(name)) return "does not end with a name of lower-case letters, digits and '_'";
  std::string space(domain.substr(0, domain.find('.')));
  std::replace(space.begin(), space.end(), '-', '_');
  if (!is_snake_case(space) || is_keyword(space) || !header_of_macro(space).empty() ||
      is_library_name(space) || space == "std") {
    return "has a first label that cannot be a C++ namespace";
  }
  return {};
}

}  // namespace tenon::gen
