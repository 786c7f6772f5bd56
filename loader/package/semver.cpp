// SPDX-License-Identifier: BSL-1.0
#include "package/semver.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/quote.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_identifier(std::string_view text) {
  const auto allowed = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool has_leading_zero(std::string_view number) {
  return number.size() > 1 && number[0] == '0';
}

// Removes and returns the identifier before the next dot, or nothing if none is left.
std::optional<std::string_view> next_identifier(std::string_view& dotted) {
  if (dotted.data() == nullptr) return std::nullopt;
  const auto dot = dotted.find('.');
  const auto identifier = dotted.substr(0, dot);
  dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  return identifier;
}

// Returns the problem of the identifiers after '-' (without leading zeros in numbers) or '+'.
std::string_view identifiers_problem(std::string_view dotted, bool zeros_allowed) {
  while (const auto identifier = next_identifier(dotted)) {
    if (identifier->empty()) return "an identifier is empty";
    if (!is_identifier(*identifier)) return "an identifier has a character that is not allowed";
    if (!zeros_allowed && is_number(*identifier) && has_leading_zero(*identifier)) {
      return "a number has a leading zero";
    }
  }
  return {};
}

// Parses one of the three numbers. Returns its problem, or an empty text.
std::string_view number_problem(std::optional<std::string_view> text, std::uint64_t& value) {
  if (!text) return "there are fewer than three numbers";
  if (!is_number(*text)) return "major, minor and patch are not all numbers";
  if (has_leading_zero(*text)) return "a number has a leading zero";
  const auto end = text->data() + text->size();
  if (std::from_chars(text->data(), end, value).ec != std::errc()) {
    return "a number does not fit in 64 bits";
  }
  return {};
}

std::string_view core_problem(std::string_view core, Version& version) {
  for (std::uint64_t* number : {&version.major, &version.minor, &version.patch}) {
    const auto problem = number_problem(next_identifier(core), *number);
    if (!problem.empty()) return problem;
  }
  if (core.data() != nullptr) return "there are more than three numbers";
  return {};
}

Error bad_version(std::string_view text, std::string_view problem) {
  return Error({.code = "bad-version",
                .where = in_quotes(text),
                .found = std::string(problem),
                .needed = "MAJOR.MINOR.PATCH as in SemVer 2.0.0, eg: 1.4.0 or 1.4.0-rc.2",
                .fix = "write the version in this form, without a \"v\" and without spaces"});
}

// Numbers come before words. Numbers are compared by value, and may have any length.
std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
  const bool number = is_number(a);
  if (number != is_number(b)) {
    return number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (number && a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();  // a release is above
  for (;;) {
    const auto left = next_identifier(a);
    const auto right = next_identifier(b);
    if (!left || !right) return left.has_value() <=> right.has_value();
    if (const auto order = compare_identifiers(*left, *right); order != 0) return order;
  }
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
  Version version;
  const auto plus = text.find('+');
  const auto before_build = text.substr(0, plus);
  const auto dash = before_build.find('-');

  if (auto problem = core_problem(before_build.substr(0, dash), version); !problem.empty()) {
    return bad_version(text, problem);
  }
  if (dash != std::string_view::npos) {
    version.prerelease = before_build.substr(dash + 1);
    if (auto problem = identifiers_problem(version.prerelease, false); !problem.empty()) {
      return bad_version(text, problem);
    }
  }
  if (plus != std::string_view::npos) {
    version.build = text.substr(plus + 1);
    if (auto problem = identifiers_problem(version.build, true); !problem.empty()) {
      return bad_version(text, problem);
    }
  }
  return version;
}

std::string Version::to_string() const {
  char numbers[3 * 21];  // 20 digits and a dot each
  char* end = numbers;
  for (const std::uint64_t number : {major, minor, patch}) {
    if (end != numbers) *end++ = '.';
    end = std::to_chars(end, std::end(numbers), number).ptr;
  }
  std::string text(numbers, end);
  if (!prerelease.empty()) text.append("-").append(prerelease);
  if (!build.empty()) text.append("+").append(build);
  return text;
}

std::weak_ordering operator<=>(const Version& a, const Version& b) {
  if (const auto order = a.major <=> b.major; order != 0) return order;
  if (const auto order = a.minor <=> b.minor; order != 0) return order;
  if (const auto order = a.patch <=> b.patch; order != 0) return order;
  return compare_prereleases(a.prerelease, b.prerelease);
}

std::strong_ordering total_order(const Version& a, const Version& b) {
  const auto order = a <=> b;
  if (order != 0) return order < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.build <=> b.build;
}

}}}  // namespace tenon::v0_1::detail
