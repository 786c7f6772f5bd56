// SPDX-License-Identifier: BSL-1.0
#include "catalog/compatibility.hpp"

#include <tenon/result.hpp>

#include <algorithm>
#include <utility>

#include "catalog/kinds.hpp"

namespace tenon { inline namespace v0_1 {

std::string_view to_string(CompatibilityGrade grade) noexcept {
  switch (grade) {
    case CompatibilityGrade::latest:
      return "latest";
    case CompatibilityGrade::adapted:
      return "adapted";
    case CompatibilityGrade::too_new:
      return "too new";
    case CompatibilityGrade::not_adaptable:
      return "not adaptable";
    case CompatibilityGrade::other_spec:
      return "other spec";
    case CompatibilityGrade::unknown_kind:
      break;
  }
  return "unknown kind";
}

namespace detail {
namespace {

/// "1", "1 and 2", "1 to 4"
std::string versions_of(const Kind& kind) {
  std::string last = std::to_string(kind.latest().version);
  if (kind.versions.size() == 1) return last;
  return std::to_string(kind.versions.front().version) +
         (kind.versions.size() == 2 ? " and " : " to ") + last;
}

Error too_new(const Provided& provided, const Kind& kind, const std::string& where) {
  return Error({.code = "kind-too-new",
                .where = where,
                .found = title_of(provided),
                .needed = "version " + versions_of(kind) + " of " + provided.kind,
                .fix = "use a host that offers version " + std::to_string(provided.version) +
                       ", or rebuild the plugin for version " +
                       std::to_string(kind.latest().version)});
}

Error other_spec(const Provided& provided, const KindVersion& version, const std::string& where) {
  return Error({.code = version.draft ? "draft-differs" : "kind-differs",
                .where = where,
                .found = title_of(provided) + ", compiled from another spec of that version",
                .needed = "the spec that this program was built with",
                .fix = version.draft ? "rebuild the plugin; the draft has changed"
                                     : "rebuild the plugin with the SDK of this program; a "
                                       "released version never changes"});
}

Error not_adaptable(const Provided& provided, const Compatibility& compatibility,
                    const std::string& where) {
  const std::string target = std::to_string(compatibility.host_version);
  return Error({.code = "kind-not-adaptable",
                .message = compatibility.reason,
                .where = where,
                .found = title_of(provided),
                .needed = "a version that can be used as version " + target,
                .fix = "rebuild the plugin for version " + target});
}

Error unknown_kind(const Provided& provided, const std::string& where) {
  return Error({.code = "unknown-kind",
                .where = where,
                .found = title_of(provided),
                .needed = "a kind that this program defines",
                .fix = "use the module with the program it was made for",
                .severity = Severity::warning});
}

Compatibility compatibility_with(const Kind& kind, const Provided& provided) {
  Compatibility compatibility{.host_version = kind.latest().version};
  const KindVersion* version = kind.find(provided.version);
  if (version == nullptr) {
    compatibility.grade = CompatibilityGrade::too_new;
  } else if (version->fingerprint != provided.fingerprint) {
    compatibility.grade = CompatibilityGrade::other_spec;
  } else if (!version->serves(compatibility.host_version)) {
    compatibility.grade = CompatibilityGrade::not_adaptable;
    if (const Adapter* adapter = version->adapter_to(compatibility.host_version)) {
      compatibility.reason = adapter->refusal;
    }
  } else if (const Adapter* adapter = version->adapter_to(compatibility.host_version)) {
    compatibility.grade = CompatibilityGrade::adapted;
    compatibility.missing.assign(adapter->missing.begin(), adapter->missing.end());
  } else {
    compatibility.grade = CompatibilityGrade::latest;
  }
  return compatibility;
}

bool is_usable(CompatibilityGrade grade) {
  return Compatibility{.grade = grade}.usable();
}

/// Returns the kind with which a plugin can be used best, and how. Grades are in that order.
std::pair<const Kind*, Compatibility> closest_kind(const Provided& provided) {
  std::pair<const Kind*, Compatibility> closest{};
  for (const Kind* kind : find_kinds(provided.kind)) {
    auto compatibility = compatibility_with(*kind, provided);
    if (compatibility.grade < closest.second.grade) closest = {kind, std::move(compatibility)};
  }
  return closest;
}

Result<void> check_compatible(const PluginDescription& plugin, const std::string& where) {
  const Provided& provided = *plugin.provided;
  if (plugin.compatibility.usable()) return {};
  // A library with kinds may have been loaded or unloaded since.
  const auto [kind, compatibility] = closest_kind(provided);
  switch (compatibility.grade) {
    case CompatibilityGrade::latest:
    case CompatibilityGrade::adapted:
      return {};
    case CompatibilityGrade::too_new:
      return too_new(provided, *kind, where);
    case CompatibilityGrade::not_adaptable:
      return not_adaptable(provided, compatibility, where);
    case CompatibilityGrade::other_spec:
      return other_spec(provided, *kind->find(provided.version), where);
    case CompatibilityGrade::unknown_kind:
      break;
  }
  return unknown_kind(provided, where);
}

}  // namespace

std::string title_of(const Provided& provided) {
  return provided.name + " (" + provided.kind + " version " + std::to_string(provided.version) +
         ")";
}

Compatibility compatibility_of(const Provided& provided) {
  return closest_kind(provided).second;
}

CompatibilityGrade CompatibilityCheck::grade_of(const Provided& plugin) {
  const auto is_same = [&plugin](const auto& known) {
    const Provided& other = *known.first;
    return other.fingerprint == plugin.fingerprint && other.version == plugin.version &&
           other.kind == plugin.kind;
  };
  const auto found = std::ranges::find_if(known_, is_same);
  if (found != known_.end()) return found->second;
  const CompatibilityGrade grade = compatibility_of(plugin).grade;
  constexpr std::size_t most = 32;
  if (known_.size() < most) known_.emplace_back(&plugin, grade);
  return grade;
}

bool CompatibilityCheck::is_compatible(const Manifest& manifest) {
  return manifest.provides.empty() ||
         std::ranges::any_of(manifest.provides, [this](const Provided& plugin) {
           const CompatibilityGrade grade = grade_of(plugin);
           return is_usable(grade) || grade == CompatibilityGrade::unknown_kind;
         });
}

bool CompatibilityCheck::has_problem(const Manifest& manifest) {
  return std::ranges::any_of(manifest.provides, [this](const Provided& plugin) {
    const CompatibilityGrade grade = grade_of(plugin);
    return !is_usable(grade) &&
           (grade != CompatibilityGrade::unknown_kind || !unknown_kinds_are_allowed());
  });
}

std::vector<Error> incompatibilities(const ModuleDescription& module) {
  std::vector<Error> problems;
  const auto usable = [](const PluginDescription& plugin) { return plugin.compatibility.usable(); };
  if (std::ranges::all_of(module.plugins, usable)) return problems;
  const std::string where = module.location();
  for (const PluginDescription& plugin : module.plugins) {
    if (auto checked = check_compatible(plugin, where); !checked) {
      problems.push_back(std::move(checked).error());
    }
  }
  if (problems.size() == module.plugins.size()) return problems;
  for (Error& problem : problems) problem = problem.with_severity(Severity::warning);
  return problems;
}

}  // namespace detail
}}  // namespace tenon::v0_1
