// SPDX-License-Identifier: BSL-1.0
#include "catalog/reference.hpp"

#include "base/quote.hpp"
#include "package/name.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::string_view form =
    "[builtin:|standalone:]name[@version], eg: example.io/dpkg@1.0.0 or example.io/dpkg@^1.2";

Error wrong(std::string_view text, std::string found,
            std::string_view fix = "write the reference in that form") {
  return Error({.code = "bad-reference",
                .where = in_quotes(text),
                .found = std::move(found),
                .needed = std::string(form),
                .fix = std::string(fix)});
}

}  // namespace

Result<Reference> Reference::parse(std::string_view text, std::optional<std::string_view> domain) {
  Reference reference;
  std::string_view rest = text;
  const std::string_view before_slash = rest.substr(0, rest.find('/'));
  if (const auto colon = before_slash.find(':'); colon != std::string_view::npos) {
    const std::string_view prefix = rest.substr(0, colon);
    if (prefix == "builtin") {
      reference.origin = Origin::builtin;
    } else if (prefix == "standalone") {
      reference.origin = Origin::standalone;
    } else {
      return wrong(text, "the prefix " + in_quotes(prefix) +
                             ", which is neither builtin nor "
                             "standalone");
    }
    rest.remove_prefix(colon + 1);
  }
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    // As in requirements, spaces are ignored: "blur@ 1.0.0" is the version 1.0.0.
    const std::string_view wanted = trimmed(rest.substr(at + 1));
    rest = rest.substr(0, at);
    if (auto version = Version::parse(wanted)) {
      reference.version = std::move(*version);
    } else if (wanted.empty()) {
      return wrong(text, "nothing after the '@'");
    } else if (auto requirement = Requirement::parse(wanted)) {
      reference.requirement = std::move(*requirement);
    } else {
      const Error& error = requirement.error();
      return wrong(text,
                   "the version " + in_quotes(wanted) + ", in which " + std::string(error.found()),
                   error.fix());
    }
  }
  if (rest.empty()) return wrong(text, "no name");
  if (domain && rest.find('/') == std::string_view::npos) {
    reference.name = std::string(*domain) + "/";
  }
  reference.name += rest;
  const std::string_view problem =
      reference.has_domain() ? name_problem(reference.name) : short_name_problem(reference.name);
  if (!problem.empty()) return wrong(text, "a name that " + std::string(problem));
  return reference;
}

std::optional<Match> Reference::match(const Version& candidate) const {
  if (requirement) {
    return requirement->contains(candidate) ? std::optional(Match::exact) : std::nullopt;
  }
  if (!version) return Match::exact;
  if (candidate == *version && (version->build.empty() || candidate.build == version->build)) {
    return Match::exact;
  }
  if (!candidate.prerelease.empty() || candidate.major != version->major) return std::nullopt;
  return candidate.minor == version->minor ? Match::same_minor : Match::same_major;
}

}}}  // namespace tenon::v0_1::detail
