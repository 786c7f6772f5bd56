// SPDX-License-Identifier: BSL-1.0
//
// Generates the text of a set of versions that was not parsed: each interval of releases or
// prereleases becomes an alternative, in its shortest form.
#include <algorithm>
#include <utility>

#include "package/requirement.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

bool same(const Version& a, const Version& b) {
  return total_order(a, b) == 0;
}

bool same(const std::optional<Version>& a, const std::optional<Version>& b) {
  return a ? b && same(*a, *b) : !b;
}

Version without_build(Version version) {
  version.build.clear();
  return version;
}

/// A set whose ends have no build metadata, and the differences from the original set.
struct Plain {
  Intervals intervals;
  std::vector<Version> only;    // single versions, with their build metadata
  std::vector<Version> except;  // versions to remove from `intervals`
};

// Appends all versions of an interval that ends within the build metadata of one version.
void list(const Interval& interval, std::vector<Version>& versions) {
  for (Version at = interval.low; total_order(at, *interval.high) < 0; at = next_build(at)) {
    versions.push_back(at);
  }
}

// For one version, a set has either some single build metadata or all except some: == and != can
// express nothing else.
Plain plain(const Intervals& intervals) {
  std::vector<Version> broken;
  for (const Interval& interval : intervals) {
    if (!interval.low.build.empty()) broken.push_back(without_build(interval.low));
    if (interval.high && !interval.high->build.empty()) {
      broken.push_back(without_build(*interval.high));
    }
  }
  broken.erase(std::unique(broken.begin(), broken.end()), broken.end());

  Plain result = {.intervals = intervals, .only = {}, .except = {}};
  for (const Version& version : broken) {
    const Intervals whole = {{.low = version, .high = next_version(version)}};
    const Intervals in = intersection(intervals, whole);
    const Intervals out = intersection(complement(intervals), whole);
    if (same(in.back().high, whole[0].high)) {
      result.intervals = union_of(result.intervals, whole);
      for (const Interval& gap : out) list(gap, result.except);
    } else {
      result.intervals = intersection(result.intervals, complement(whole));
      for (const Interval& single : in) list(single, result.only);
    }
  }
  return result;
}

std::string numbers_of(const Version& version, int count) {
  std::string text = std::to_string(version.major);
  if (count > 1) text += "." + std::to_string(version.minor);
  return text;
}

// Returns the text for an interval of releases. `low` may be a prerelease before the first release.
std::string text_of(const Version& low, const std::optional<Version>& high) {
  const bool release = low.prerelease.empty();
  const bool from_patch_0 = release && low.patch == 0;
  const bool from_minor_0 = from_patch_0 && low.minor == 0;
  const bool from_0 = from_minor_0 && low.major == 0;
  std::string text = low.to_string();
  if (!high) return from_0 ? "*" : ">=" + text;
  const bool in_major = same(high, next_major(low));
  const bool in_minor = same(high, next_minor(low));
  if (release && same(high, next_patch(low))) return text;
  if (from_minor_0 && in_major) return numbers_of(low, 1);
  if (from_patch_0 && in_minor) return numbers_of(low, 2);
  if (in_major && low.major != 0) return "^" + text;
  if (in_minor) return "~" + text;
  return (from_0 ? "" : ">=" + text + ",") + "<" + high->to_string();
}

// Returns the text for an interval that has only prereleases.
std::string text_of_prereleases(const Interval& interval) {
  if (same(interval.high, next_version(interval.low))) return interval.low.to_string();
  const std::string low = ">=" + interval.low.to_string();
  const std::string high = interval.high->to_string();
  return interval.high->prerelease.empty() ? low + ",<=" + high + ",!=" + high : low + ",<" + high;
}

class Alternatives {
 public:
  void add(std::string text, const Interval& interval, const std::vector<Version>& except) {
    for (const Version& version : except) {
      if (contains({interval}, version)) text += ",!=" + version.to_string();
    }
    add(text);
  }
  void add(const std::string& text) { text_ += text_.empty() ? text : " || " + text; }
  std::string take() { return text_.empty() ? "<0.0.0" : std::move(text_); }

 private:
  std::string text_;
};

std::string text_of(const Intervals& all_releases, const Intervals& all_prereleases) {
  const Plain releases = plain(all_releases);
  const Plain prereleases = plain(all_prereleases);
  Alternatives alternatives;
  std::vector<Version> covered;  // ends of prereleases that are in one alternative with releases
  for (const Interval& interval : releases.intervals) {
    const auto before =
        std::find_if(prereleases.intervals.begin(), prereleases.intervals.end(),
                     [&](const Interval& p) { return p.high && same(*p.high, interval.low); });
    if (before == prereleases.intervals.end()) {
      alternatives.add(text_of(interval.low, interval.high), interval, releases.except);
    } else {
      covered.push_back(interval.low);
      auto except = releases.except;
      except.insert(except.end(), prereleases.except.begin(), prereleases.except.end());
      alternatives.add(text_of(before->low, interval.high),
                       {.low = before->low, .high = interval.high}, except);
    }
  }
  for (const Interval& interval : prereleases.intervals) {
    const bool is_covered = std::any_of(covered.begin(), covered.end(),
                                        [&](const Version& v) { return same(v, *interval.high); });
    if (is_covered) continue;
    alternatives.add(text_of_prereleases(interval), interval, prereleases.except);
  }
  for (const Version& version : releases.only) alternatives.add(version.to_string());
  for (const Version& version : prereleases.only) alternatives.add(version.to_string());
  return alternatives.take();
}

}  // namespace

std::string Requirement::to_string() const {
  return parts().text.empty() ? text_of(releases(), prereleases()) : parts().text;
}

}}}  // namespace tenon::v0_1::detail
