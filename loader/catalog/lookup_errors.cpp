// SPDX-License-Identifier: BSL-1.0
#include "catalog/lookup_errors.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/quote.hpp"
#include "catalog/compatibility.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The maximum number of names or versions in a message.
constexpr std::size_t max_listed = 10;

/// Returns why a plugin cannot be used as version `target` of its kind, or an empty text.
std::string obstacle(const Registration& candidate, const Kind& kind, std::int32_t target) {
  const KindVersion* version = kind.find(candidate.version);
  if (version == nullptr) return ", too new";
  if (version->fingerprint != candidate.fingerprint) return ", compiled from another spec";
  if (version->serves(target)) return "";
  const Adapter* adapter = version->adapter_to(target);
  return adapter != nullptr ? ", not adaptable: " + std::string(adapter->refusal)
                            : ", newer than requested";
}

std::string_view among(Reference::Origin origin) {
  switch (origin) {
    case Reference::Origin::builtin:
      return " among the builtins";
    case Reference::Origin::standalone:
      return " among the standalone plugins";
    case Reference::Origin::any:
      break;
  }
  return "";
}

std::string version_suffix(const Reference& reference) {
  if (reference.version) return " " + reference.version->to_string();
  return reference.requirement ? " " + reference.requirement->to_string() : "";
}

Error not_found(const Reference& reference, std::string found, const Kind& kind) {
  return Error({.code = "not-found",
                .where = reference.name,
                .found = std::move(found),
                .needed = "a plugin of " + std::string(kind.id) + " with that name",
                .fix = "put its module into a directory of the plugin path, or correct the name"});
}

std::string in_words(const Registration& candidate) {
  return candidate.package_version().to_string() +
         (candidate.builtin ? " (builtin" : " (standalone") + ", version " +
         std::to_string(candidate.version) + " of the kind";
}

/// Returns the existing versions, and why each cannot be used. Lists both origins separately if the
/// reference allows both.
std::string describe_all(std::span<const Registration> candidates, const Kind& kind,
                         std::int32_t target, Reference::Origin asked) {
  std::vector<const Registration*> newest_first;
  for (const Registration& candidate : candidates) newest_first.push_back(&candidate);
  std::stable_sort(newest_first.begin(), newest_first.end(), [](const auto* a, const auto* b) {
    return total_order(a->package_version(), b->package_version()) > 0;
  });
  std::vector<std::string> standalone, builtins;
  for (const Registration* each : newest_first) {
    const Registration& candidate = *each;
    (candidate.builtin ? builtins : standalone)
        .push_back(in_words(candidate) + obstacle(candidate, kind, target) + ")");
  }
  if (asked != Reference::Origin::any) {
    standalone.insert(standalone.end(), builtins.begin(), builtins.end());
    return some_of(standalone, max_listed);
  }
  return (standalone.empty() ? "no standalone plugin" : some_of(standalone, max_listed)) + "; " +
         (builtins.empty() ? "no builtin" : some_of(builtins, max_listed));
}

}  // namespace

Error duplicate_error(const Registration& late, const Registration& existing,
                      const std::string& where, bool differs) {
  const std::string found = title_of(late.provided()) + " of package " + late.package() + " " +
                            late.package_version().to_string();
  if (existing.package() != late.package()) {
    return Error({.code = "name-taken",
                  .where = where,
                  .found = found,
                  .needed = "a name that package " + existing.package() + " in " +
                            existing.owner->location() + " does not use",
                  .fix = "rename the plugin, or remove one of the two"});
  }
  if (differs) {
    return Error({.code = "package-differs",
                  .where = where,
                  .found = found + ", with other content than " + existing.owner->location() +
                           ", which is used",
                  .needed = "the same content in all files of one package version",
                  .fix = "change the version of one of the two, or remove it"});
  }
  return Error({.code = "duplicate-file",
                .where = where,
                .found = found,
                .needed = "one file; the same is in " + existing.owner->location(),
                .fix = "remove one of the two files",
                .severity = Severity::warning});  // the plugin is usable
}

Error no_kind(const Reference& reference, const Kind& kind) {
  return not_found(reference, "no plugin of that kind", kind);
}

Error no_name(const Reference& reference, const Kind& kind, const std::string& known) {
  const std::string_view nothing = reference.origin == Reference::Origin::any
                                       ? "neither a standalone plugin nor a builtin; only "
                                       : "only ";
  return not_found(reference, std::string(nothing) + known, kind);
}

Error no_compatible(const Reference& reference, const Kind& kind, std::int32_t target,
                    std::span<const Registration> candidates) {
  return Error(
      {.code = "not-found",
       .where = reference.name,
       .found = describe_all(candidates, kind, target, reference.origin),
       .needed = "a compatible version" + version_suffix(reference) +
                 std::string(among(reference.origin)),
       .fix = "put its module into a directory of the plugin path, or correct the reference"});
}

Error no_plugin(std::string_view reference, std::vector<const Registration*> others,
                const std::string& known) {
  std::vector<std::string> versions;
  std::unordered_set<std::string> listed;
  std::stable_sort(others.begin(), others.end(), [](const auto* a, const auto* b) {
    return total_order(a->package_version(), b->package_version()) > 0;
  });
  for (const Registration* one : others) {
    std::string text = one->package_version().to_string();
    text += one->builtin ? " (builtin)" : " (standalone)";
    if (listed.insert(text).second) versions.push_back(std::move(text));
  }
  std::string found = known.empty() ? "no plugins" : "only " + known;
  if (!versions.empty()) found = others[0]->name() + " " + some_of(versions, max_listed);
  return Error({.code = "not-found",
                .where = std::string(reference),
                .found = std::move(found),
                .needed = "a plugin that has that name, origin and version",
                .fix = "put its module into a directory of the plugin path, or correct the "
                       "reference"});
}

std::string first_names(const std::vector<std::string_view>& names) {
  const auto listed = std::span(names).first(std::min(names.size(), max_listed));
  return first_of(std::vector<std::string>(listed.begin(), listed.end()), names.size());
}

}}}  // namespace tenon::v0_1::detail
