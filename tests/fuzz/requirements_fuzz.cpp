// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the parsers of versions and requirements. The first line is a version, the
// following lines are requirements. A valid requirement must round-trip and follow the algebra of
// sets; otherwise an error must state the cause and its position.
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/plain_text.hpp"
#include "fuzz/fuzzing.hpp"
#include "package/requirement.hpp"

namespace {

using namespace tenon;
using namespace tenon::detail;
using fuzzing::require;

// The text of the error must be short, and free of control characters.
template <class T>
void require_error(const Result<T>& result, std::string_view code) {
  const std::string text = result.error().to_string();
  require(result.error().code() == code && !result.error().found().empty() && text.size() < 2000);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) require(escaped_for_display(line) == line);
}

std::optional<Version> read_version(std::string_view text) {
  const auto version = Version::parse(text);
  if (!version) {
    require_error(version, "bad-version");
    return std::nullopt;
  }
  require(version->to_string() == text);
  require(total_order(*version, *Version::parse(text)) == 0);
  require(Requirement::exactly(*version).contains(*version));
  return *version;
}

// The text of a computed requirement may be too long to be parsed.
void require_same(const Requirement& requirement) {
  const std::string text = requirement.to_string();
  if (text.size() > Requirement::longest_text) return;
  const auto again = Requirement::parse(text);
  require(again.has_value() && *again == requirement);
}

void check(const Requirement& before, const Requirement& requirement,
           const std::optional<Version>& version) {
  require_same(requirement);
  const Requirement both = before & requirement;
  const Requirement either = before | requirement;
  require(both == (requirement & before) && either == (requirement | before));
  require((both | requirement) == requirement && (either & requirement) == requirement);
  require_same(both);
  require_same(either);
  if (!version) return;
  const bool first = before.contains(*version);
  const bool second = requirement.contains(*version);
  require(both.contains(*version) == (first && second));
  require(either.contains(*version) == (first || second));
  require(!requirement.empty() || !second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzzing::text_of(data, size);
  const auto version = read_version(fuzzing::take_line(text));
  Requirement before;
  while (!text.empty()) {
    const auto requirement = Requirement::parse(fuzzing::take_line(text));
    if (!requirement) {
      require_error(requirement, "bad-requirement");
      continue;
    }
    check(before, *requirement, version);
    before = *requirement;
  }
  return 0;
}
