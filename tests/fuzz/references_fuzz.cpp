// SPDX-License-Identifier: BSL-1.0
//
// Feeds text to the parser of references to plugins. The first line is a version, the others are
// references. A valid reference must round-trip and accept the same versions.
#include "base/plain_text.hpp"
#include "catalog/reference.hpp"
#include "fuzz/fuzzing.hpp"
#include "package/name.hpp"

namespace {

using namespace tenon;
using namespace tenon::detail;
using detail::Reference;
using fuzzing::require;

std::string written(const Reference& reference) {
  std::string text;
  if (reference.origin == Reference::Origin::builtin) text = "builtin:";
  if (reference.origin == Reference::Origin::standalone) text = "standalone:";
  text += reference.name;
  if (reference.version) text += "@" + reference.version->to_string();
  if (reference.requirement) text += "@" + reference.requirement->to_string();
  return text;
}

bool same(const Reference& a, const Reference& b) {
  if (a.version.has_value() != b.version.has_value()) return false;
  if (a.version && total_order(*a.version, *b.version) != 0) return false;
  return a.origin == b.origin && a.name == b.name && a.requirement == b.requirement;
}

void require_error(const Error& error) {
  require(error.code() == "bad-reference" && !error.where().empty());
  require(!error.found().empty() && !error.needed().empty() && !error.fix().empty());
  const std::string text = error.to_string();
  require(text.size() < 4000);
  for (std::string_view rest = text; !rest.empty();) {
    const auto line = fuzzing::take_line(rest);
    require(escaped_for_display(line) == line);
  }
}

void check(std::string_view text, const std::optional<Version>& version) {
  const auto reference = Reference::parse(text, "fuzz.example");
  if (!reference) return require_error(reference.error());
  require(name_problem(reference->name).empty());
  require(!(reference->version && reference->requirement));
  const auto again = Reference::parse(written(*reference), "other.example");
  require(again.has_value() && same(*reference, *again));
  if (!version) return;
  const auto match = reference->match(*version);
  require(match == again->match(*version));
  if (reference->requirement) {
    require(match.has_value() == reference->requirement->contains(*version));
  } else if (reference->version) {
    require(reference->match(*reference->version) == Match::exact);
  } else {
    require(match == Match::exact);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzzing::text_of(data, size);
  const auto parsed = Version::parse(fuzzing::take_line(text));
  const auto version = parsed ? std::optional(*parsed) : std::nullopt;
  while (!text.empty()) check(fuzzing::take_line(text), version);
  return 0;
}
