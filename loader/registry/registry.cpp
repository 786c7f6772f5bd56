// SPDX-License-Identifier: BSL-1.0
#include "registry/registry.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "module/kinds.hpp"
#include "package/quote.hpp"
#include "registry/fit.hpp"

namespace tenon::detail {
namespace {

// How many names or versions a message lists.
constexpr std::size_t most_told = 10;

std::string place(const ListedModule& module) {
  return module.builtin() ? "builtin " + module.manifest->name
                          : module.module->origin().file.string();
}

bool from(const Registration& candidate, Reference::Origin origin) {
  return origin == Reference::Origin::any ||
         candidate.builtin() == (origin == Reference::Origin::builtin);
}

bool answers(const Registration& candidate, const Reference& reference) {
  return from(candidate, reference.origin) && reference.step_down(candidate.package_version);
}

/// Why a plugin cannot be used as version `target` of its kind; empty when it can.
std::string obstacle(const Registration& candidate, const Kind& kind, std::int32_t target) {
  const KindVersion* version = kind.find(candidate.version);
  if (version == nullptr) return ", too new";
  if (version->fingerprint != candidate.fingerprint) return ", compiled from another spec";
  if (version->serves(target)) return "";
  const Adapter* adapter = version->adapter_to(target);
  return adapter != nullptr ? ", not adaptable: " + std::string(adapter->refusal)
                            : ", newer than wanted";
}

/// Whether the version that a reference names is there; the next best one is for one that is not.
bool is_there(const std::vector<Registration>& candidates, const Reference& reference) {
  return reference.version &&
         std::any_of(candidates.begin(), candidates.end(), [&](const Registration& candidate) {
           return from(candidate, reference.origin) &&
                  reference.step_down(candidate.package_version) == 0;
         });
}

/// Drop-ins before builtins, what is asked for before the next best, what comes first before the
/// rest, releases before prereleases, newer before older. REQUIRED: both answer the reference.
bool better(const Registration& a, const Registration& b, const Reference& reference) {
  if (a.builtin() != b.builtin()) return b.builtin();
  const int a_step = *reference.step_down(a.package_version);
  const int b_step = *reference.step_down(b.package_version);
  if (a_step != b_step) return a_step < b_step;
  if (a.comes_first != b.comes_first) return a.comes_first;
  const bool a_release = a.package_version.prerelease.empty();
  const bool b_release = b.package_version.prerelease.empty();
  if (a_release != b_release) return a_release;
  const auto order = total_order(a.package_version, b.package_version);
  return order != 0 ? order > 0 : a.version > b.version;
}

std::string_view among(Reference::Origin origin) {
  switch (origin) {
    case Reference::Origin::builtin:
      return " among the builtins";
    case Reference::Origin::standalone:
      return " among the drop-ins";
    case Reference::Origin::any:
      break;
  }
  return "";
}

/// The error for a plugin that came after another one in its place; `differs`: with a file of the
/// same version that holds something else.
Error outdone(const Registration& late, const Registration& rival, const std::string& where,
              bool differs) {
  const std::string found =
      title_of(late) + " of package " + late.package + " " + late.package_version.to_string();
  if (rival.package != late.package) {
    return Error({.code = "name-taken",
                  .where = where,
                  .found = found,
                  .needed = "a name that package " + rival.package + " does not have already, in " +
                            place(rival),
                  .fix = "rename the plugin, or remove one of the two"});
  }
  if (differs) {
    return Error({.code = "duplicate",
                  .where = where,
                  .found = found + ", with other content than " + place(rival) + ", which is used",
                  .needed = "one content for one version of a package",
                  .fix = "give one of the two a version of its own, or remove it"});
  }
  return Error({.code = "duplicate",
                .where = where,
                .found = found,
                .needed = "one file; the same is in " + place(rival),
                .fix = "remove one of the two files",
                .grade = ErrorGrade::warning});  // what it holds is used
}

Error not_found(const Reference& reference, std::string found, const Kind& kind) {
  return Error({.code = "not-found",
                .where = reference.name,
                .found = std::move(found),
                .needed = "a plugin of " + std::string(kind.id) + " with that name",
                .fix = "put its module into a folder of the plugin path, or correct the name"});
}

std::string in_words(const Registration& candidate) {
  return candidate.package_version.to_string() +
         (candidate.builtin() ? " (builtin" : " (standalone") + ", version " +
         std::to_string(candidate.version) + " of the kind";
}

/// The versions that there are, and what is in the way of each: of both origins where both were
/// asked.
std::string candidates_in_words(const std::vector<Registration>& candidates, const Kind& kind,
                                std::int32_t target, Reference::Origin asked) {
  std::vector<const Registration*> newest_first;
  for (const Registration& candidate : candidates) newest_first.push_back(&candidate);
  std::stable_sort(newest_first.begin(), newest_first.end(), [](const auto* a, const auto* b) {
    return total_order(a->package_version, b->package_version) > 0;
  });
  std::vector<std::string> drop_ins, builtins;
  for (const Registration* each : newest_first) {
    const Registration& candidate = *each;
    (candidate.builtin() ? builtins : drop_ins)
        .push_back(in_words(candidate) + obstacle(candidate, kind, target) + ")");
  }
  if (asked != Reference::Origin::any) {
    drop_ins.insert(drop_ins.end(), builtins.begin(), builtins.end());
    return some_of(drop_ins, most_told);
  }
  return (drop_ins.empty() ? "no drop-in" : some_of(drop_ins, most_told)) + "; " +
         (builtins.empty() ? "no builtin" : some_of(builtins, most_told));
}

/// Why a reference names nothing of any kind. `others`: what has its name, `known`: all names.
Error none_of(std::string_view reference, std::vector<const Registration*> others,
              const std::vector<std::string>& known) {
  std::vector<std::string> versions;
  std::stable_sort(others.begin(), others.end(), [](const auto* a, const auto* b) {
    return total_order(a->package_version, b->package_version) > 0;
  });
  for (const Registration* one : others) {
    std::string text = one->package_version.to_string();
    text += one->builtin() ? " (builtin)" : " (standalone)";
    if (std::find(versions.begin(), versions.end(), text) == versions.end()) {
      versions.push_back(std::move(text));
    }
  }
  std::string found = known.empty() ? "no plugin at all" : "only " + some_of(known, most_told);
  if (!versions.empty()) found = others[0]->name + " " + some_of(versions, most_told);
  return Error({.code = "not-found",
                .where = std::string(reference),
                .found = std::move(found),
                .needed = "a plugin that has that name, origin and version",
                .fix = "put its module into a folder of the plugin path, or correct the "
                       "reference"});
}

std::string wanted_in_words(const Reference& reference) {
  if (reference.version) return " version " + reference.version->to_string();
  return reference.requirement ? " " + reference.requirement->to_string() : "";
}

}  // namespace

/// What came first in the place of a fresh one. All of one origin that were added are of one
/// package.
const Registration* Registry::Named::rival(const Registration& fresh) const {
  const auto one = first.find(fresh.builtin());
  if (one == first.end()) return nullptr;
  if (candidates[one->second].package != fresh.package) return &candidates[one->second];
  const auto same =
      places.find({fresh.builtin(), fresh.version, fresh.package_version.to_string()});
  return same != places.end() ? &candidates[same->second] : nullptr;
}

void Registry::Named::add(Registration&& fresh) {
  first.emplace(fresh.builtin(), candidates.size());
  places.emplace(std::tuple(fresh.builtin(), fresh.version, fresh.package_version.to_string()),
                 candidates.size());
  candidates.push_back(std::move(fresh));
}

std::vector<Error> Registry::add(const ListedModule& module, FileComparison& files) {
  const Manifest& manifest = *module.manifest;
  const std::string where = place(module);
  std::vector<Error> left_out = misfits(manifest.provides, where);
  const bool comes_first = bindings_->comes_first(manifest.name, manifest.version);
  const std::optional<Error> refused = bindings_->refusal(manifest.name, manifest.version);
  for (const Provided& provided : manifest.provides) {
    Named& named = kinds_[provided.kind][provided.name];
    Registration fresh{provided, module, manifest.name, manifest.version, comes_first, refused};
    const Registration* rival = named.rival(fresh);
    if (rival == nullptr) {
      named.add(std::move(fresh));
      continue;
    }
    const bool same_version = rival->package == fresh.package && !fresh.builtin();
    const bool differs =
        same_version && files.differ(module.module->origin().file, rival->module->origin().file);
    left_out.push_back(outdone(fresh, *rival, where, differs));
  }
  return left_out;
}

std::optional<Error> Registry::refusal(const Registration& candidate, const Package* asker) const {
  if (asker == nullptr) return candidate.refused;
  return bindings_->refusal(*asker, candidate.package, candidate.package_version,
                            candidate.builtin());
}

const Registration* Registry::choose(const Candidates& candidates, std::int32_t target,
                                     const Kind& kind, const Reference& reference,
                                     Asker asker) const {
  const bool exactly = is_there(candidates, reference);
  const Registration* best = nullptr;
  for (const Registration& candidate : candidates) {
    if (!answers(candidate, reference) || !obstacle(candidate, kind, target).empty()) continue;
    if (exactly && reference.step_down(candidate.package_version) != 0) continue;
    if (!asker.refused_too && refusal(candidate, asker.package)) continue;
    if (best == nullptr || better(candidate, *best, reference)) best = &candidate;
  }
  return best;
}

Result<const Registration*> Registry::find(const Kind& kind, std::int32_t target,
                                           const Reference& reference, const Package* asker) const {
  const auto names = kinds_.find(kind.id);
  if (names == kinds_.end()) return not_found(reference, "no plugin of that kind", kind);
  const auto found = names->second.find(reference.name);
  if (found == names->second.end()) {
    std::vector<std::string> there;
    for (const auto& entry : names->second) there.push_back(entry.first);
    const std::string nothing = reference.origin == Reference::Origin::any
                                    ? "neither a drop-in nor a builtin; only "
                                    : "only ";
    return not_found(reference, nothing + some_of(there, most_told), kind);
  }
  const Candidates& candidates = found->second.candidates;
  if (const auto* best = choose(candidates, target, kind, reference, {asker})) return best;
  if (const auto* best = choose(candidates, target, kind, reference, {asker, true})) {
    return *refusal(*best, asker);
  }
  return Error(
      {.code = "not-found",
       .where = reference.name,
       .found = candidates_in_words(candidates, kind, target, reference.origin),
       .needed =
           "one that fits" + wanted_in_words(reference) + std::string(among(reference.origin)),
       .fix = "put its module into a folder of the plugin path, or correct the reference"});
}

Result<std::vector<const Registration*>> Registry::find_all(std::string_view reference,
                                                            std::string_view domain) const {
  std::vector<const Registration*> result;
  std::set<std::string_view> known;
  std::vector<const Registration*> others;  // of that name
  // Which domain a name without one gets, each kind says; all else is the same for all.
  auto wished = Reference::parse(reference, domain.empty() ? "any.domain" : domain);
  if (!wished) return std::move(wished).error();
  for (const auto& [kind, names] : kinds_) {
    const std::string_view own = std::string_view(kind).substr(0, kind.find('/'));
    const auto wanted = Reference::parse(reference, domain.empty() ? own : domain);
    for (const auto& [name, named] : names) {
      known.insert(name);
      for (const Registration& candidate : named.candidates) {
        if (!wanted || name != wanted->name) continue;
        (answers(candidate, *wanted) ? result : others).push_back(&candidate);
      }
    }
  }
  if (result.empty()) return none_of(reference, others, {known.begin(), known.end()});
  const auto exact = [&wished](const Registration* one) {
    return wished->step_down(one->package_version) == 0;
  };
  if (wished->version && std::any_of(result.begin(), result.end(), exact)) {
    std::erase_if(result, [&exact](const Registration* one) { return !exact(one); });
  }
  std::stable_sort(result.begin(), result.end(),
                   [&wished](const auto* a, const auto* b) { return better(*a, *b, *wished); });
  return result;
}

std::vector<const Registration*> Registry::newest(const Kind& kind, std::int32_t target,
                                                  const Package* asker) const {
  std::vector<const Registration*> result;
  const auto names = kinds_.find(kind.id);
  if (names == kinds_.end()) return result;
  for (const auto& [name, named] : names->second) {
    const Registration* best = choose(named.candidates, target, kind,
                                      {.origin = Reference::Origin::any, .name = name}, {asker});
    if (best != nullptr) result.push_back(best);
  }
  return result;
}

std::vector<const Registration*> Registry::all() const {
  std::vector<const Registration*> result;
  for (const auto& [kind, names] : kinds_) {
    for (const auto& [name, named] : names) {
      for (const Registration& registration : named.candidates) result.push_back(&registration);
    }
  }
  return result;
}

}  // namespace tenon::detail
