// SPDX-License-Identifier: BSL-1.0
//
// Requirements: which versions of a package will do.
//
// A requirement is text: clauses with commas between them, which must all hold. Spaces around
// clauses and operators do not count.
//
//   1.2.3  ==1.2.3  =1.2.3   that version             !=1.2.3         any but that
//   1.2  ==1.2  1.2.*        1.2.0 <= v < 1.3.0       !=1.2           any but these
//   1  ==1  1.*              1.0.0 <= v < 2.0.0       *               any
//   >1.2  is >=1.3.0         <=1.2  is <1.3.0         nothing at all  0.0.0 <= v < 1.0.0
//   ~1.2.3  ~1.2  ~1         up to 1.3.0, 1.3.0, 2.0.0
//   ~=1.4.5  ~=1.4           up to 1.5.0, 2.0.0
//   ^1.2.3  ^0.2.3  ^0.0.3   up to 2.0.0, 0.3.0, 0.0.4
//
// Alternatives stand with "||" between them: "^1.4 || ^2". What is said of clauses holds
// in each alternative by itself.
//
// A prerelease will do only where some clause, whatever its operator, names a prerelease of the
// same major.minor.patch and all clauses hold by the order of the standard: ">=1.2.0-rc.1" takes
// 1.2.0-rc.2 and no 1.3.0-rc.1. What ends below 1.3.0 ("<1.3.0", "1.2", "^0.2", "~1.2") takes no
// 1.3.0-anything, ever.
// Build metadata counts only where it is named, with "==" or "!=": "1.2.3" takes 1.2.3+b7 too.
#pragma once

#include <tenon/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "package/intervals.hpp"
#include "package/semver.hpp"

namespace tenon {

/// A set of versions. Two are equal when they hold the same versions, however they were written.
/// Const functions may be called from any thread.
class Requirement {
 public:
  /// The longest text that is read, in bytes.
  static constexpr std::size_t longest_text = 1000;

  /// No version at all.
  Requirement() = default;

  /// Error: bad-requirement, with what is wrong and where in the text. A text that no version can
  /// meet (">2,<1") is a good one and empty.
  static Result<Requirement> parse(std::string_view text);

  /// What each package requires of its own name where it says nothing: its major version.
  static Requirement same_major(const Version& version);

  /// That version to the letter, its build metadata included.
  static Requirement exactly(const Version& version);

  /// Whether `version` will do.
  bool contains(const Version& version) const;

  /// Whether no version can ever do.
  bool empty() const { return releases().empty() && prereleases().empty(); }

  /// The text it was read from, or one of its own. `parse` reads it as an equal requirement,
  /// unless it is one of its own and too long.
  std::string to_string() const;

  /// The set in two parts, each sorted, with a gap behind every interval. Ends of `releases` are
  /// releases; an interval of `prereleases` lies within one major.minor.patch.
  const Intervals& releases() const { return parts().releases; }
  const Intervals& prereleases() const { return parts().prereleases; }

  /// What is in both, and what is in either.
  friend Requirement operator&(const Requirement& a, const Requirement& b);
  friend Requirement operator|(const Requirement& a, const Requirement& b);
  friend bool operator==(const Requirement& a, const Requirement& b) {
    return a.releases() == b.releases() && a.prereleases() == b.prereleases();
  }

 private:
  struct Parts {
    Intervals releases;
    Intervals prereleases;
    std::string text = {};  // empty for what was not read
  };

  explicit Requirement(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}
  const Parts& parts() const;

  std::shared_ptr<const Parts> parts_;  // copies share it; nullptr: no version
};

}  // namespace tenon
