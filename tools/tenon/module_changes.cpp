// SPDX-License-Identifier: BSL-1.0
//
// Changes between two builds.
#include <tenon/file_hash.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "abi_changes.hpp"
#include "base/quote.hpp"
#include "config/manifest_parameters.hpp"
#include "json.hpp"
#include "package/semver.hpp"

namespace tenon::command {
namespace {

using detail::Version;

/// The versions of its kind that a plugin implements, with the fingerprints of their specs.
using Versions = std::map<std::int32_t, std::uint64_t>;
/// The plugins of a module: versions by kind and name.
using Plugins = std::map<std::string, std::map<std::string, Versions>>;

Plugins plugins_of(const ModuleReport& report) {
  Plugins plugins;
  for (const PluginInfo& plugin : report.plugins) {
    plugins[plugin.kind()][plugin.name()].emplace(plugin.version(), plugin.fingerprint());
  }
  return plugins;
}

/// Calls `removed` for each key that only `older` has, `added` for each that only `newer` has, and
/// `both` for the others.
template <class Map, class Removed, class Added, class Both>
void compare(const Map& older, const Map& newer, Removed removed, Added added, Both both) {
  for (const auto& [key, value] : older) {
    const auto found = newer.find(key);
    if (found == newer.end()) {
      removed(key);
    } else {
      both(key, value, found->second);
    }
  }
  for (const auto& [key, value] : newer) {
    if (!older.contains(key)) added(key);
  }
}

/// Collects the changes between two modules.
class Comparison {
 public:
  Comparison(const ModuleReport& older, const ModuleReport& newer) : older_(older), newer_(newer) {}

  AbiChanges take() {
    add_plugins();
    add_properties();
    add_requirements();
    add_state();
    add_details();
    std::ranges::stable_sort(changes_, std::greater(), &AbiChange::segment);
    return std::move(changes_);
  }

 private:
  void add(Segment segment, std::string text) { changes_.push_back({segment, std::move(text)}); }

  /// Returns functions that add "removes SUBJECT KEY" as a change of this segment, or "adds ...".
  auto removes(Segment segment, std::string subject) {
    return [this, segment, subject = std::move(subject)](const auto& key) {
      add(segment, "removes " + subject + key);
    };
  }
  auto adds(Segment segment, std::string subject) {
    return [this, segment, subject = std::move(subject)](const auto& key) {
      add(segment, "adds " + subject + key);
    };
  }

  void add_plugins() {
    compare(plugins_of(older_), plugins_of(newer_), removes(Segment::major, "the kind "),
            adds(Segment::minor, "the kind "),
            [this](const auto& kind, const auto& older, const auto& newer) {
              const std::string of_kind = "the " + kind + " ";
              compare(older, newer, removes(Segment::major, of_kind), adds(Segment::minor, of_kind),
                      [&](const auto& name, const Versions& before, const Versions& after) {
                        add_versions(kind, name, before, after);
                      });
            });
  }

  void add_versions(const std::string& kind, const std::string& name, const Versions& older,
                    const Versions& newer) {
    const std::string place = " of " + kind + " in " + name;
    const auto version = [](std::int32_t number) { return "version " + std::to_string(number); };
    compare(
        older, newer,
        [&](std::int32_t number) { add(Segment::major, "removes " + version(number) + place); },
        [&](std::int32_t number) { add(Segment::minor, "adds " + version(number) + place); },
        [&](std::int32_t number, std::uint64_t before, std::uint64_t after) {
          if (before != after) {
            add(Segment::major, "compiles " + version(number) + place + " from another spec");
          }
        });
  }

  void add_properties() {
    std::map<std::string, std::pair<const PluginInfo*, const PluginInfo*>> names;
    for (const PluginInfo& plugin : older_.plugins) names[plugin.name()].first = &plugin;
    for (const PluginInfo& plugin : newer_.plugins) names[plugin.name()].second = &plugin;
    for (const auto& [name, builds] : names) {
      const auto& [older, newer] = builds;
      if (older != nullptr && newer != nullptr) add_properties(*older, *newer);
    }
  }

  void add_properties(const PluginInfo& older, const PluginInfo& newer) {
    std::set<std::string> done;
    for (const PluginInfo* plugin : {&older, &newer}) {
      for (const auto& [key, value] : plugin->properties()) {
        if (done.insert(key).second) add_property(older, newer, key);
      }
    }
  }

  void add_property(const PluginInfo& older, const PluginInfo& newer, const std::string& key) {
    const std::string before = older.property(key);
    const std::string after = newer.property(key);
    if (before == after) return;
    const auto old_parameters = parameters_of(older, key);
    const auto new_parameters = parameters_of(newer, key);
    if (old_parameters && new_parameters) {
      const std::string place = " of " + older.name() + " (" + key + ")";
      return add_parameters(*old_parameters, *new_parameters, place);
    }
    const std::string text = "the property " + in_quotes(key) + " of " + older.name();
    if (before.empty()) return add(Segment::minor, "adds " + text);
    add(Segment::patch, (after.empty() ? "removes " : "changes ") + text);
  }

  /// Returns the parameters in a property; none without the property. Returns nothing if it has
  /// another content.
  static std::optional<config::Parameters> parameters_of(const PluginInfo& plugin,
                                                         const std::string& key) {
    if (!key.ends_with("_parameters")) return std::nullopt;
    auto stated = config::stated_parameters(plugin, key);
    if (!stated) return std::nullopt;
    return std::move(*stated).value_or(config::Parameters());
  }

  void add_parameters(const config::Parameters& older, const config::Parameters& newer,
                      const std::string& place) {
    compare(
        older, newer,
        [&](const auto& name) {
          add(Segment::major, "removes the parameter " + in_quotes(name) + place);
        },
        [&](const auto& name) {
          const bool required = config::must_be_given(newer.at(name));
          add(required ? Segment::major : Segment::minor,
              std::string("adds the ") + (required ? "required " : "") + "parameter " +
                  in_quotes(name) + place);
        },
        [&](const auto& name, const Parameter& before, const Parameter& after) {
          add_parameter(before, after, "the parameter " + in_quotes(name) + place);
        });
  }

  void add_parameter(const Parameter& older, const Parameter& newer, const std::string& text) {
    if (older == newer) return;
    const bool before = config::must_be_given(older);
    const bool after = config::must_be_given(newer);
    if (after && !before) return add(Segment::major, "requires " + text);
    if (older.type != newer.type) return add(Segment::major, "changes the type of " + text);
    if (has_new_condition(older, newer)) return add(Segment::major, "adds a condition to " + text);
    if (before && !after) return add(Segment::minor, "no longer requires " + text);
    if (has_new_condition(newer, older)) {
      return add(Segment::minor, "removes a condition of " + text);
    }
    add(Segment::patch, "changes " + text);
  }

  /// Returns whether a parameter has a condition that the older one lacks. Whether it must be given
  /// is compared elsewhere.
  static bool has_new_condition(const Parameter& older, const Parameter& newer) {
    return std::ranges::any_of(newer.validations, [&](const auto& condition) {
      return condition.type != ParameterV2Rule::Required &&
             std::ranges::find(older.validations, condition) == older.validations.end();
    });
  }

  void add_requirements() {
    compare(manifest(older_).requirements, manifest(newer_).requirements,
            removes(Segment::patch, "the requirement of "),
            adds(Segment::minor, "the requirement of "),
            [this](const auto& package, const auto& before, const auto& after) {
              if (before == after) return;
              add(Segment::patch, "requires " + package + " " + in_quotes(after) + " instead of " +
                                      in_quotes(before));
            });
    const auto& older = manifest(older_).abi;
    const auto& newer = manifest(newer_).abi;
    if (older == newer) return;
    // Both have the same major version: a manifest with another one cannot be read.
    const bool higher = older.size() != newer.size() ? older.size() < newer.size() : older < newer;
    add(higher ? Segment::minor : Segment::patch, "requires ABI " + newer + " instead of " + older);
  }

  void add_state() {
    const auto& [older_type, older] = state_of(older_);
    const auto& [newer_type, newer] = state_of(newer_);
    if (older_type != newer_type) return add(Segment::major, "changes the type of the state");
    for (const std::int32_t version : older) {
      if (newer.contains(version)) continue;
      add(Segment::major, "removes version " + std::to_string(version) + " of the state");
    }
    for (const std::int32_t version : newer) {
      if (older.contains(version)) continue;
      add(Segment::minor, "adds version " + std::to_string(version) + " of the state");
    }
  }

  /// Returns the type and the versions of the state that a module writes or reads. Without a
  /// statement the only version is 1.
  static std::pair<std::string, std::set<std::int32_t>> state_of(const ModuleReport& report) {
    const auto& state = manifest(report).state;
    if (!state) return {"", {1}};
    std::set<std::int32_t> versions(state->reads.begin(), state->reads.end());
    versions.insert(state->writes);
    return {state->type, std::move(versions)};
  }

  /// Adds the details without a meaning for hosts, and those that concern unloading.
  void add_details() {
    std::map<std::string, std::string> texts[2];
    const ModuleReport* reports[] = {&older_, &newer_};
    for (std::size_t i = 0; i < 2; ++i) {
      for (const auto& [key, value] : details_of(manifest(*reports[i]))) {
        const bool compared = key == "properties" || key == "requires" || key == "state";
        if (!compared) texts[i].emplace(key, boost::json::serialize(value));
      }
    }
    compare(texts[0], texts[1], removes(Segment::patch, "the detail "),
            adds(Segment::patch, "the detail "),
            [this](const auto& key, const auto& before, const auto& after) {
              if (before != after) add(Segment::patch, "changes the detail " + key);
            });
  }

  static const ManifestInfo& manifest(const ModuleReport& report) { return *report.manifest; }

  const ModuleReport& older_;
  const ModuleReport& newer_;
  AbiChanges changes_;
};

/// Returns the lowest version that raises a segment of a release. Before 1.0.0 segments count one
/// place further to the right.
Version raised(const Version& from, Segment segment) {
  if (segment == Segment::major && from.major > 0) return {.major = from.major + 1};
  if (segment == Segment::minor && from.major > 0) {
    return {.major = from.major, .minor = from.minor + 1};
  }
  if (segment == Segment::major && from.minor > 0) return {.minor = from.minor + 1};
  return {.major = from.major, .minor = from.minor, .patch = from.patch + 1};
}

/// Returns a version without its prerelease.
Version release_of(const Version& version) {
  return {.major = version.major, .minor = version.minor, .patch = version.patch};
}

/// Returns the error if the version was not raised by a segment.
std::optional<Error> version_error(const ModuleReport& older, const ModuleReport& newer,
                                   Segment due) {
  const auto from = Version::parse(older.manifest->package_version);
  const auto to = Version::parse(newer.manifest->package_version);
  if (!from) return from.error();
  if (!to) return to.error();
  const Version lowest = raised(*from, due);
  const bool after_prerelease = !from->prerelease.empty();
  const bool is_higher = *from < *to && (after_prerelease || lowest <= release_of(*to));
  if (due == Segment::none || is_higher) return std::nullopt;
  return Error({.code = "version-too-low",
                .where = newer.file.string(),
                .found = newer.manifest->package + " " + to->to_string(),
                .needed = after_prerelease ? "a version after " + from->to_string()
                                           : lowest.to_string() + " or higher",
                .fix = "raise the version of the package"});
}

bool same_content(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto one = sha256_of_file(a);
  const auto other = sha256_of_file(b);
  return one && other && *one == *other;
}

}  // namespace

std::string_view to_string(Segment segment) noexcept {
  switch (segment) {
    case Segment::patch:
      return "patch";
    case Segment::minor:
      return "minor";
    case Segment::major:
      return "major";
    default:
      return "none";
  }
}

Result<ModuleReport> read_build(const std::filesystem::path& file) {
  ModuleReport report = tenon::inspect(file);
  if (!report.manifest) return report.errors.front();
  return report;
}

Result<BuildDifference> difference_between(const ModuleReport& older, const ModuleReport& newer) {
  if (older.manifest->package != newer.manifest->package) {
    return Error({.code = "other-package",
                  .where = newer.file.string(),
                  .found = newer.manifest->package,
                  .needed = "a build of " + older.manifest->package,
                  .fix = "compare two builds of one package"});
  }
  BuildDifference difference{Comparison(older, newer).take()};
  if (!difference.changes.empty()) {
    difference.due = std::max(Segment::patch, difference.changes.front().segment);
  } else if (!same_content(older.file, newer.file)) {
    difference.due = Segment::patch;
  }
  difference.error = version_error(older, newer, difference.due);
  return difference;
}

}  // namespace tenon::command
