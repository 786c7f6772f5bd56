#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# semver 7.8.6 and compare-versions 6.1.1 from npm and SemVer 0.10.0 for Perl order the same
# pre-releases in three ways.
#
# All three say that they implement SemVer, which leaves no choice: identifiers of digits are
# compared as numbers and are lower than others, which are compared in ASCII order. semver does so.
# compare-versions takes the digits that an identifier begins with for the whole, so builds that are
# named by a commit can be equal, or lower than a number. SemVer.pm ignores case, so RC is above
# beta.
#
# Output seen:
#   1.0.0-dev.4e2f91c and 1.0.0-dev.4a1100b: semver >, compare-versions =, SemVer.pm >
#   1.0.0-dev.4e2f91c and 1.0.0-dev.5: semver >, compare-versions <, SemVer.pm >
#   1.0.0-RC.1 and 1.0.0-beta.1: semver <, compare-versions <, SemVer.pm >
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root libsemver-perl=0.10.0-2
for package in *.deb; do dpkg -x "$package" .; done
npm install --silent --ignore-scripts --prefix . semver@7.8.6 compare-versions@6.1.1

# compare VERSION VERSION: prints how each library orders them
# shellcheck disable=SC2016 # code of other languages
compare() {
  echo "$1 and $2: $(
    node -e '
      const [, first, second] = process.argv;
      const sign = (order) => (order < 0 ? "<" : order > 0 ? ">" : "=");
      const semver = sign(require("semver").compare(first, second));
      const other = sign(require("compare-versions").compareVersions(first, second));
      process.stdout.write(`semver ${semver}, compare-versions ${other}, `)' "$1" "$2"
    perl -Iusr/share/perl5 -MSemVer -e '
      my ($first, $second) = map { SemVer->new($_) } @ARGV;
      print "SemVer.pm ", ("=", ">", "<")[$first <=> $second]' "$1" "$2"
  )"
}
{
  compare 1.0.0-dev.4e2f91c 1.0.0-dev.4a1100b
  compare 1.0.0-dev.4e2f91c 1.0.0-dev.5
  compare 1.0.0-RC.1 1.0.0-beta.1
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
