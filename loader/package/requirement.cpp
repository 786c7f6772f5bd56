// SPDX-License-Identifier: BSL-1.0
//
// Parsing and set operations of requirements. See requirement_text.cpp for their text.
#include "package/requirement.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/own_library.hpp"
#include "base/quote.hpp"
#include "package/plain_requirement.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::string_view form =
    "clauses separated by commas, each an operator (== != < <= > >= ~= ~ ^ or none) and a version "
    "or the beginning of one, eg: >=1.2,<2.0,!=1.5";

enum class Operator {
  equal,
  not_equal,
  less,
  at_most,
  greater,
  at_least,
  compatible,
  tilde,
  caret
};

constexpr std::pair<std::string_view, Operator> operators[] = {
    // Longer operators come before their prefixes.
    {"==", Operator::equal},   {"=", Operator::equal},       {"!=", Operator::not_equal},
    {"<=", Operator::at_most}, {"<", Operator::less},        {">=", Operator::at_least},
    {">", Operator::greater},  {"~=", Operator::compatible}, {"~", Operator::tilde},
    {"^", Operator::caret},
};

/// The version after an operator.
struct Operand {
  Version version;  // missing numbers are 0
  int numbers = 3;  // how many of major, minor and patch are written
};

/// A requirement without the blanks inside conditions, and the columns of its characters and of its
/// end in the original text, for error messages.
struct Compact {
  std::string text;
  std::vector<std::size_t> columns;
};

/// Removes blanks after operators and around dots. Those between two versions stay: whoever writes
/// "1.2 2.0" or "1.2.3 - 2.0.0" means two of them.
Compact compact(std::string_view text) {
  constexpr std::string_view joining = "=!<>~^.";
  Compact all;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t next = text.find_first_not_of(" \t", at);
    const bool joins =
        next != at && next != std::string_view::npos &&
        ((!all.text.empty() && joining.find(all.text.back()) != joining.npos) || text[next] == '.');
    if (joins) at = next;
    all.text.push_back(text[at]);
    all.columns.push_back(at);
  }
  all.columns.push_back(text.size());
  return all;
}

// Returns the trimmed parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

/// Returns all prereleases of the version's major.minor.patch. A clause with a prerelease admits
/// these and no others.
Interval all_of_its_patch(const Version& version) {
  Version release = lowest_of(version);
  release.prerelease.clear();
  return {.low = lowest_of(version), .high = std::move(release)};
}

/// Returns the end of an interval of releases for an interval that ends at `end`.
Version among_releases(Version end) {
  if (end.prerelease.empty()) return end;
  end.prerelease.clear();
  end.build.clear();
  return end;
}

Intervals releases_of(const Intervals& intervals) {
  Intervals releases;
  for (const Interval& interval : intervals) {
    Interval next = {.low = among_releases(interval.low), .high = {}};
    if (interval.high) next.high = among_releases(*interval.high);
    if (next.high && total_order(next.low, *next.high) >= 0) continue;
    releases.push_back(std::move(next));
  }
  return union_of(std::move(releases));
}

Error wrong(std::string_view text, const std::string& found, const std::string& fix = {}) {
  return Error({.code = "bad-requirement",
                .where = in_quotes(text),
                .found = found,
                .needed = std::string(form),
                .fix = fix.empty() ? "write the requirement in this form" : fix});
}

class Reader {
 public:
  explicit Reader(std::string_view text) : original_(text), compact_(compact(text)) {}

  /// Returns the text to parse, which lives as long as the reader.
  std::string_view text() const { return compact_.text; }
  /// Parses one alternative, a part of `text()`. Returns false if it is invalid: see `error`.
  bool read(std::string_view alternative, Intervals& releases, Intervals& prereleases);

  Error error() const { return wrong(original_, found_, fix_); }

  bool fail(std::string_view part, std::string_view problem, std::string fix = {}) {
    const auto at = static_cast<std::size_t>(part.data() - compact_.text.data());
    found_ = (part.empty() ? "at character " : in_quotes(part) + " at character ") +
             std::to_string(compact_.columns[at] + 1) + ": " + std::string(problem);
    fix_ = std::move(fix);
    return false;
  }

 private:
  bool read_clause(std::string_view clause, Intervals& holds);
  bool read_operand(std::string_view clause, std::string_view text, Operator op, Operand& operand);

  std::string_view original_;
  Compact compact_;
  std::string found_;
  std::string fix_;
  Intervals named_;  // the prereleases that the clauses of this alternative admit
};

// Returns the first version after all versions that the operand matches.
std::optional<Version> end_of(const Operand& operand) {
  if (operand.numbers == 3) {
    return operand.version.build.empty() ? next_version(operand.version)
                                         : next_build(operand.version);
  }
  const auto next =
      operand.numbers == 2 ? next_minor(operand.version) : next_major(operand.version);
  return next ? std::optional(lowest_of(*next)) : std::nullopt;
}

// After "^", the first number that is not 0 must not change, or else the last one written.
std::optional<Version> caret_end(const Operand& operand) {
  const Version& version = operand.version;
  if (version.major != 0 || operand.numbers == 1) return next_major(version);
  if (version.minor != 0 || operand.numbers == 2) return next_minor(version);
  return next_patch(version);
}

std::optional<Version> range_end(Operator op, const Operand& operand) {
  if (op == Operator::caret) return caret_end(operand);
  const int fixed = op == Operator::compatible ? operand.numbers - 1 : operand.numbers;
  return fixed >= 2 ? next_minor(operand.version) : next_major(operand.version);
}

Intervals from(Version low) {
  return {{.low = std::move(low), .high = {}}};
}

Intervals up_to(std::optional<Version> high) {
  return intersection(from(lowest()), {{.low = lowest(), .high = std::move(high)}});
}

Intervals after(const Operand& operand) {
  auto next = end_of(operand);
  if (!next) return {};
  if (operand.numbers < 3) next->prerelease.clear();  // ">1" begins with the release 2.0.0
  return from(std::move(*next));
}

Intervals versions_of(Operator op, const Operand& operand) {
  const Version& version = operand.version;
  Intervals equal = {{.low = version, .high = end_of(operand)}};
  switch (op) {
    case Operator::equal:
      return equal;
    case Operator::not_equal:
      return complement(equal);
    case Operator::less:
      return up_to(version.prerelease.empty() ? lowest_of(version) : version);
    case Operator::at_most:
      return up_to(end_of(operand));
    case Operator::greater:
      return after(operand);
    case Operator::at_least:
      return from(version);
    default: {
      auto end = range_end(op, operand);
      if (end) end = lowest_of(*end);
      return {{.low = version, .high = std::move(end)}};
    }
  }
}

bool is_any(std::string_view version) {
  return version == "*" || version == "*.*" || version == "*.*.*";
}

bool Reader::read_operand(std::string_view clause, std::string_view text, Operator op,
                          Operand& operand) {
  const bool exact = op == Operator::equal || op == Operator::not_equal;
  if (text.empty()) return fail(clause, "there is no version after the operator");
  if (text.find_first_of(" \t") != std::string_view::npos) {
    return fail(text, "there is a space in a version", "put a comma between two clauses");
  }
  auto numbers = text;
  while (numbers.ends_with(".*")) numbers.remove_suffix(2);
  if (numbers == "*") {
    return fail(text, "no version is before, after or other than all versions",
                "write * alone, or after == or >=");
  }
  const bool wildcard = numbers.size() != text.size();
  // Only digits and at most one dot: the beginning of a version.
  const auto dots = std::count(numbers.begin(), numbers.end(), '.');
  const bool partial =
      dots < 2 && numbers.find_first_not_of("0123456789.") == std::string_view::npos;
  if (wildcard && (!partial || std::count(text.begin(), text.end(), '.') > 2)) {
    return fail(text, "a \".*\" can only replace minor or patch");
  }
  operand.numbers = partial ? static_cast<int>(dots) + 1 : 3;
  auto version =
      Version::parse(partial ? std::string(numbers) + (dots == 0 ? ".0.0" : ".0") : numbers);
  if (!version) {
    return fail(text, version.error().found(),
                numbers.starts_with('v') ? "leave out the \"v\"" : "");
  }
  operand.version = std::move(*version);
  if (!operand.version.build.empty() && !exact) {
    return fail(text, "build metadata has no order",
                "remove the part from \"+\" on, or use == or !=");
  }
  return true;
}

bool Reader::read_clause(std::string_view clause, Intervals& holds) {
  if (clause.empty()) {
    return fail(clause, "a clause is empty", "write a clause there, or remove the \",\" or \"||\"");
  }
  const auto known = std::find_if(std::begin(operators), std::end(operators),
                                  [&](const auto& o) { return clause.starts_with(o.first); });
  const bool bare = known == std::end(operators);
  const auto op = bare ? Operator::equal : known->second;
  Operand operand;
  const auto text = bare ? clause : trimmed(clause.substr(known->first.size()));
  if ((op == Operator::equal || op == Operator::at_least) && is_any(text)) return true;
  if (!read_operand(clause, text, op, operand)) return false;
  if (!operand.version.prerelease.empty()) {
    named_ = union_of(named_, {all_of_its_patch(operand.version)});
  }
  holds = intersection(holds, versions_of(op, operand));
  return true;
}

bool Reader::read(std::string_view alternative, Intervals& releases, Intervals& prereleases) {
  named_.clear();
  Intervals holds = from(lowest());
  for (const auto clause : split(alternative, ",")) {
    if (!read_clause(clause, holds)) return false;
  }
  releases = releases_of(holds);
  prereleases = intersection(holds, named_);
  return true;
}

}  // namespace

Result<Requirement> Requirement::parse(std::string_view text) {
  const auto whole = trimmed(text);
  if (whole.empty()) return parse("0");
  if (text.size() > longest_text) {
    return wrong(text, "more than " + std::to_string(longest_text) + " characters");
  }
  Parts all;
  all.text = whole;
  if (auto interval = read_plain(whole)) {
    all.releases.push_back(std::move(*interval));
    return Requirement(std::move(all));
  }
  Reader reader(text);
  for (const auto alternative : split(trimmed(reader.text()), "||")) {
    Intervals releases;
    Intervals prereleases;
    if (!reader.read(alternative, releases, prereleases)) return reader.error();
    std::ranges::move(releases, std::back_inserter(all.releases));
    std::ranges::move(prereleases, std::back_inserter(all.prereleases));
  }
  all.releases = union_of(std::move(all.releases));
  all.prereleases = union_of(std::move(all.prereleases));
  return Requirement(std::move(all));
}

const Requirement::Parts& Requirement::parts() const {
  static platform::LibraryStatic<Parts> none;
  return parts_ != nullptr ? *parts_ : *none;
}

Requirement Requirement::same_major(const Version& version) {
  return Requirement({.releases = {{.low = {.major = version.major}, .high = next_major(version)}},
                      .prereleases = {}});
}

Requirement Requirement::exactly(const Version& version) {
  Intervals only = {{.low = version, .high = next_build(version)}};
  return Requirement(version.prerelease.empty()
                         ? Parts{.releases = std::move(only), .prereleases = {}}
                         : Parts{.releases = {}, .prereleases = std::move(only)});
}

bool Requirement::contains(const Version& version) const {
  return detail::contains(version.prerelease.empty() ? releases() : prereleases(), version);
}

Requirement operator&(const Requirement& a, const Requirement& b) {
  return Requirement({.releases = intersection(a.releases(), b.releases()),
                      .prereleases = intersection(a.prereleases(), b.prereleases())});
}

Requirement operator|(const Requirement& a, const Requirement& b) {
  return Requirement({.releases = union_of(a.releases(), b.releases()),
                      .prereleases = union_of(a.prereleases(), b.prereleases())});
}

}}}  // namespace tenon::v0_1::detail
