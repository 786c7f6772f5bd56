// SPDX-License-Identifier: BSL-1.0
#include "registry/registry.hpp"

#include <algorithm>
#include <optional>

#include "module/kinds.hpp"

namespace tenon::detail {
namespace {

std::string title(std::string_view kind, std::int64_t version, std::string_view name) {
  return std::string(name) + " (" + std::string(kind) + " version " + std::to_string(version) + ")";
}

std::string place(const Module& module) {
  return module.origin().builtin != nullptr ? "builtin " + module.info().package
                                            : module.origin().file.string();
}

/// "1", "1 and 2", "1 to 4"
std::string versions_of(const Kind& kind) {
  const std::string last = std::to_string(kind.latest().version);
  if (kind.versions.size() == 1) return last;
  return std::to_string(kind.versions.front().version) +
         (kind.versions.size() == 2 ? " and " : " to ") + last;
}

/// Why this program cannot use what a manifest provides; nothing when it can.
std::optional<Error> misfit(const Provided& provided, const Kind& kind, const std::string& where) {
  const std::string id(kind.id);
  const KindVersion* version = kind.find(provided.version);
  if (version == nullptr) {
    return Error({.code = "kind-too-new",
                  .where = where,
                  .found = title(id, provided.version, provided.name),
                  .needed = "version " + versions_of(kind) + " of " + id,
                  .fix = "a host that offers version " + std::to_string(provided.version) +
                         ", or a build of the plugin for version " +
                         std::to_string(kind.latest().version)});
  }
  if (version->fingerprint != provided.fingerprint) {
    return Error({.code = version->draft ? "draft-differs" : "kind-differs",
                  .where = where,
                  .found = title(id, provided.version, provided.name) +
                           ", compiled from another spec of that version",
                  .needed = "the spec that this program was built with",
                  .fix = version->draft ? "build the plugin again: the draft has changed"
                                        : "take the plugin kit of this program; a released version "
                                          "never changes"});
  }
  if (!version->serves(kind.latest().version)) {
    const Adapter* adapter = version->adapter_to(kind.latest().version);
    return Error(
        {.code = "kind-not-adaptable",
         .message = adapter != nullptr ? std::string(adapter->refusal) : "",
         .where = where,
         .found = title(id, provided.version, provided.name),
         .needed = "a version that can be used as version " + std::to_string(kind.latest().version),
         .fix = "a build of the plugin for version " + std::to_string(kind.latest().version)});
  }
  return std::nullopt;
}

}  // namespace

std::vector<Error> Registry::add(const std::shared_ptr<Module>& module, const Manifest& manifest) {
  std::vector<Error> left_out;
  const std::string where = place(*module);
  const bool builtin = module->origin().builtin != nullptr;
  bool known = false;
  for (const Provided& provided : manifest.provides) {
    const Kind* kind = find_kind(provided.kind);
    known = known || kind != nullptr;
    if (kind != nullptr) {
      if (auto flaw = misfit(provided, *kind, where)) left_out.push_back(std::move(*flaw));
    }
    Candidates& candidates = kinds_[provided.kind][provided.name];
    const auto rival = std::find_if(candidates.begin(), candidates.end(), [&](const auto& other) {
      return other.builtin() == builtin &&
             (other.package != manifest.name ||
              (other.package_version == manifest.version && other.version == provided.version));
    });
    if (rival != candidates.end()) {
      const bool taken = rival->package != manifest.name;
      left_out.push_back(
          Error({.code = taken ? "name-taken" : "duplicate",
                 .where = where,
                 .found = title(provided.kind, provided.version, provided.name) + " of package " +
                          manifest.name + " " + manifest.version.to_string(),
                 .needed = taken ? "a name that package " + rival->package +
                                       " does not have already, in " + place(*rival->module)
                                 : "one file; the same is in " + place(*rival->module),
                 .fix = taken ? "rename the plugin, or remove one of the two"
                              : "remove one of the two files"}));
      continue;
    }
    candidates.push_back(
        {provided.kind, provided.name, provided.version, manifest.name, manifest.version, module});
  }
  if (!known && !manifest.provides.empty()) {
    left_out.push_back(Error({.code = "kind-unknown",
                              .where = where,
                              .found = "only kinds such as " + manifest.provides.front().kind,
                              .needed = "a kind of this program",
                              .fix = "use the module with the program it was made for"}));
  }
  return left_out;
}

const Registration* Registry::choose(const Candidates& candidates, std::int32_t target,
                                     const Kind& kind, const Reference& reference) const {
  const auto fits = [&](const Registration& candidate) {
    const KindVersion* version = kind.find(candidate.version);
    if (reference.version && !(candidate.package_version == *reference.version)) return false;
    if (reference.origin == Reference::Origin::builtin && !candidate.builtin()) return false;
    if (reference.origin == Reference::Origin::standalone && candidate.builtin()) return false;
    return version != nullptr && version->serves(target);
  };
  // Drop-ins before builtins, releases before prereleases, newer before older.
  const auto better = [](const Registration& a, const Registration& b) {
    if (a.builtin() != b.builtin()) return b.builtin();
    const bool a_release = a.package_version.prerelease.empty();
    const bool b_release = b.package_version.prerelease.empty();
    if (a_release != b_release) return a_release;
    if (!(a.package_version == b.package_version)) return a.package_version > b.package_version;
    return a.version > b.version;
  };
  const Registration* best = nullptr;
  for (const Registration& candidate : candidates) {
    if (fits(candidate) && (best == nullptr || better(candidate, *best))) best = &candidate;
  }
  return best;
}

Result<const Registration*> Registry::find(const Kind& kind, std::int32_t target,
                                           const Reference& reference) const {
  if (const auto names = kinds_.find(kind.id); names != kinds_.end()) {
    if (const auto found = names->second.find(reference.name); found != names->second.end()) {
      const Registration* best = choose(found->second, target, kind, reference);
      if (best != nullptr) return best;
    }
  }
  return not_found(kind, target, reference);
}

Error Registry::not_found(const Kind& kind, std::int32_t target, const Reference& reference) const {
  ErrorDetails details{.code = "not-found", .where = reference.name};
  details.needed = "a plugin of " + std::string(kind.id) + " with that name";
  details.fix = "put its module into a folder of the plugin path, or correct the name";
  std::string there;
  if (const auto names = kinds_.find(kind.id); names != kinds_.end()) {
    if (const auto found = names->second.find(reference.name); found != names->second.end()) {
      for (const Registration& candidate : found->second) {
        const KindVersion* version = kind.find(candidate.version);
        const Adapter* adapter = version != nullptr ? version->adapter_to(target) : nullptr;
        there += (there.empty() ? "" : ", ") + candidate.package_version.to_string() +
                 (candidate.builtin() ? " (builtin" : " (standalone") + ", version " +
                 std::to_string(candidate.version) + " of the kind" +
                 (adapter != nullptr && !adapter->refusal.empty()
                      ? ", not adaptable: " + std::string(adapter->refusal)
                      : "") +
                 ")";
      }
      details.found = reference.name + " " + there;
      details.needed = "one that fits" +
                       (reference.version ? " version " + reference.version->to_string() : "") +
                       (reference.origin == Reference::Origin::any       ? ""
                        : reference.origin == Reference::Origin::builtin ? " among the builtins"
                                                                         : " among the drop-ins");
      return Error(std::move(details));
    }
    for (const auto& [name, candidates] : names->second)
      there += (there.empty() ? "" : ", ") + name;
  }
  details.found = there.empty() ? "no plugin of that kind" : "only " + there;
  return Error(std::move(details));
}

std::vector<const Registration*> Registry::newest(const Kind& kind, std::int32_t target) const {
  std::vector<const Registration*> result;
  const auto names = kinds_.find(kind.id);
  if (names == kinds_.end()) return result;
  for (const auto& [name, candidates] : names->second) {
    const Registration* best =
        choose(candidates, target, kind, Reference{Reference::Origin::any, name, std::nullopt});
    if (best != nullptr) result.push_back(best);
  }
  return result;
}

std::vector<const Registration*> Registry::all() const {
  std::vector<const Registration*> result;
  for (const auto& [kind, names] : kinds_) {
    for (const auto& [name, candidates] : names) {
      for (const Registration& registration : candidates) result.push_back(&registration);
    }
  }
  return result;
}

}  // namespace tenon::detail
