// SPDX-License-Identifier: BSL-1.0
//
// How a set of versions that nobody wrote down is put into the words of requirements: the
// intervals of releases and of prereleases become alternatives, the shortest that there are.
#include <algorithm>
#include <utility>

#include "package/requirement.hpp"

namespace tenon {
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

/// A set whose ends have no build metadata, and what is to be said besides.
struct Plain {
  Intervals intervals;
  std::vector<Version> only;    // what stands alone, with its build metadata
  std::vector<Version> except;  // what is left out of `intervals`
};

// All versions from the low end of an interval that has a last one in the build metadata.
void list(const Interval& interval, std::vector<Version>& versions) {
  for (Version at = interval.low; total_order(at, *interval.high) < 0; at = next_build(at)) {
    versions.push_back(at);
  }
}

// Of one version either single build metadata are in a set, or all but single ones: that is all
// that == and != can say.
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

// What ends at `high` and begins with `low`, which may be a prerelease that stands before the
// first of the releases.
std::string words(const Version& low, const std::optional<Version>& high) {
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

// What holds prereleases and nothing else.
std::string words_of_prereleases(const Interval& interval) {
  if (same(interval.high, next_version(interval.low))) return interval.low.to_string();
  const std::string low = ">=" + interval.low.to_string();
  const std::string high = interval.high->to_string();
  return interval.high->prerelease.empty() ? low + ",<=" + high + ",!=" + high : low + ",<" + high;
}

class Alternatives {
 public:
  void add(std::string words, const Interval& interval, const std::vector<Version>& except) {
    for (const Version& version : except) {
      if (contains({interval}, version)) words += ",!=" + version.to_string();
    }
    add(words);
  }
  void add(const std::string& words) { text_ += text_.empty() ? words : " || " + words; }
  std::string take() { return text_.empty() ? "<0.0.0" : std::move(text_); }

 private:
  std::string text_;
};

std::string words_of(const Intervals& all_releases, const Intervals& all_prereleases) {
  const Plain releases = plain(all_releases);
  const Plain prereleases = plain(all_prereleases);
  Alternatives alternatives;
  std::vector<Version> told;  // ends of prereleases that are in one alternative with releases
  for (const Interval& interval : releases.intervals) {
    const auto before =
        std::find_if(prereleases.intervals.begin(), prereleases.intervals.end(),
                     [&](const Interval& p) { return p.high && same(*p.high, interval.low); });
    if (before == prereleases.intervals.end()) {
      alternatives.add(words(interval.low, interval.high), interval, releases.except);
    } else {
      told.push_back(interval.low);
      auto except = releases.except;
      except.insert(except.end(), prereleases.except.begin(), prereleases.except.end());
      alternatives.add(words(before->low, interval.high),
                       {.low = before->low, .high = interval.high}, except);
    }
  }
  for (const Interval& interval : prereleases.intervals) {
    const bool is_told = std::any_of(told.begin(), told.end(),
                                     [&](const Version& v) { return same(v, *interval.high); });
    if (is_told) continue;
    alternatives.add(words_of_prereleases(interval), interval, prereleases.except);
  }
  for (const Version& version : releases.only) alternatives.add(version.to_string());
  for (const Version& version : prereleases.only) alternatives.add(version.to_string());
  return alternatives.take();
}

}  // namespace

std::string Requirement::to_string() const {
  return parts().text.empty() ? words_of(releases(), prereleases()) : parts().text;
}

}  // namespace tenon
