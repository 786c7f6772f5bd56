// SPDX-License-Identifier: BSL-1.0
//
// Requirements: which versions of a package are accepted.
//
// A requirement is text: clauses, separated by commas, that must all hold. Spaces around clauses
// and operators are ignored.
//
//   1.2.3  ==1.2.3  =1.2.3   that version             !=1.2.3         any other version
//   1.2  ==1.2  1.2.*        1.2.0 <= v < 1.3.0       !=1.2           any other version
//   1  ==1  1.*              1.0.0 <= v < 2.0.0       *               any version
//   >1.2  is >=1.3.0         <=1.2  is <1.3.0         empty text      0.0.0 <= v < 1.0.0
//   ~1.2.3  ~1.2  ~1         below 1.3.0, 1.3.0, 2.0.0
//   ~=1.4.5  ~=1.4           below 1.5.0, 2.0.0
//   ^1.2.3  ^0.2.3  ^0.0.3   below 2.0.0, 0.3.0, 0.0.4
//
// Alternatives are separated by "||": "^1.4 || ^2". The rules for clauses apply to each alternative
// separately.
//
// A prerelease is accepted only if some clause, with any operator, names a prerelease of the same
// major.minor.patch, and all clauses hold in the order of the standard: ">=1.2.0-rc.1" accepts
// 1.2.0-rc.2 but not 1.3.0-rc.1. A requirement that ends below 1.3.0 ("<1.3.0", "1.2", "^0.2",
// "~1.2") never accepts a prerelease of 1.3.0.
// Build metadata is ignored unless it is named, with "==" or "!=": "1.2.3" accepts 1.2.3+b7 too.
#pragma once

#include <tenon/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "package/intervals.hpp"
#include "package/semver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A set of versions. Two are equal if they hold the same versions, even if their texts differ.
/// Const functions may be called from any thread.
class Requirement {
 public:
  /// The maximum length of a text, in bytes.
  static constexpr std::size_t longest_text = 1000;

  /// Creates the empty set.
  Requirement() = default;

  /// Parses a requirement. A text that no version can meet, such as ">2,<1", is valid and gives the
  /// empty set. Error: bad-requirement, with the problem and its position in the text.
  static Result<Requirement> parse(std::string_view text);

  /// Returns a package's default requirement of its own name: the same major version.
  static Requirement same_major(const Version& version);

  /// Returns the set of that one version, with its build metadata.
  static Requirement exactly(const Version& version);

  /// Returns whether `version` is accepted.
  bool contains(const Version& version) const;

  /// Returns whether no version is accepted.
  bool empty() const { return releases().empty() && prereleases().empty(); }

  /// Returns the text it was parsed from, or a generated one. `parse` reads it as an equal
  /// requirement, unless it is generated and too long.
  std::string to_string() const;

  /// Return the two parts of the set. Ends of `releases` are releases; an interval of
  /// `prereleases` is within one major.minor.patch.
  const Intervals& releases() const { return parts().releases; }
  const Intervals& prereleases() const { return parts().prereleases; }

  /// Return the intersection and the union.
  friend Requirement operator&(const Requirement& a, const Requirement& b);
  friend Requirement operator|(const Requirement& a, const Requirement& b);
  friend bool operator==(const Requirement& a, const Requirement& b) {
    return a.releases() == b.releases() && a.prereleases() == b.prereleases();
  }

 private:
  struct Parts {
    Intervals releases;
    Intervals prereleases;
    std::string text = {};  // empty if it was not parsed
  };

  explicit Requirement(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}
  const Parts& parts() const;

  std::shared_ptr<const Parts> parts_;  // shared by copies; nullptr: the empty set
};

}}}  // namespace tenon::v0_1::detail
