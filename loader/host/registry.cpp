// SPDX-License-Identifier: BSL-1.0
#include "host/registry.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/quote.hpp"
#include "catalog/fit.hpp"

namespace tenon::detail {
namespace {

// How many names or versions a message lists.
constexpr std::size_t most_told = 10;

bool from(bool builtin, Reference::Origin origin) {
  return origin == Reference::Origin::any || builtin == (origin == Reference::Origin::builtin);
}

bool answers(const Registration& candidate, const Reference& reference) {
  return from(candidate.builtin, reference.origin) &&
         reference.step_down(candidate.package_version());
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

bool serves(const Registration& candidate, const Kind& kind, std::int32_t target) noexcept {
  const KindVersion* version = kind.find(candidate.version);
  return version != nullptr && version->fingerprint == candidate.fingerprint &&
         version->serves(target);
}

/// Where a candidate stands among those of its name: whether it comes after another one.
bool stands_after(const Registration& a, const Registration& b) {
  if (a.builtin != b.builtin) return b.builtin;
  const bool a_release = a.package_version().prerelease.empty();
  const bool b_release = b.package_version().prerelease.empty();
  if (a_release != b_release) return a_release;
  const auto order = total_order(a.package_version(), b.package_version());
  return order != 0 ? order > 0 : a.version > b.version;
}

/// Drop-ins before builtins, what is asked for before the next best, what comes first before the
/// rest, releases before prereleases, newer before older. REQUIRED: both answer the reference.
bool better(const Registration& a, const Registration& b, const Reference& reference) {
  if (a.builtin != b.builtin) return b.builtin;
  const int a_step = *reference.step_down(a.package_version());
  const int b_step = *reference.step_down(b.package_version());
  if (a_step != b_step) return a_step < b_step;
  if (a.comes_first != b.comes_first) return a.comes_first;
  return stands_after(a, b);
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
  const std::string found = title_of(late.provided()) + " of package " + late.package() + " " +
                            late.package_version().to_string();
  if (rival.package() != late.package()) {
    return Error({.code = "name-taken",
                  .where = where,
                  .found = found,
                  .needed = "a name that package " + rival.package() +
                            " does not have already, in " + rival.description->place(),
                  .fix = "rename the plugin, or remove one of the two"});
  }
  if (differs) {
    return Error({.code = "package-differs",
                  .where = where,
                  .found = found + ", with other content than " + rival.description->place() +
                           ", which is used",
                  .needed = "one content for one version of a package",
                  .fix = "give one of the two a version of its own, or remove it"});
  }
  return Error({.code = "duplicate-file",
                .where = where,
                .found = found,
                .needed = "one file; the same is in " + rival.description->place(),
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
  return candidate.package_version().to_string() +
         (candidate.builtin ? " (builtin" : " (standalone") + ", version " +
         std::to_string(candidate.version) + " of the kind";
}

/// The versions that there are, and what is in the way of each: of both origins where both were
/// asked.
std::string candidates_in_words(const std::vector<Registration>& candidates, const Kind& kind,
                                std::int32_t target, Reference::Origin asked) {
  std::vector<const Registration*> newest_first;
  for (const Registration& candidate : candidates) newest_first.push_back(&candidate);
  std::stable_sort(newest_first.begin(), newest_first.end(), [](const auto* a, const auto* b) {
    return total_order(a->package_version(), b->package_version()) > 0;
  });
  std::vector<std::string> drop_ins, builtins;
  for (const Registration* each : newest_first) {
    const Registration& candidate = *each;
    (candidate.builtin ? builtins : drop_ins)
        .push_back(in_words(candidate) + obstacle(candidate, kind, target) + ")");
  }
  if (asked != Reference::Origin::any) {
    drop_ins.insert(drop_ins.end(), builtins.begin(), builtins.end());
    return some_of(drop_ins, most_told);
  }
  return (drop_ins.empty() ? "no drop-in" : some_of(drop_ins, most_told)) + "; " +
         (builtins.empty() ? "no builtin" : some_of(builtins, most_told));
}

/// Why a reference names nothing of any kind. `others`: what has its name, `known`: some names.
Error none_of(std::string_view reference, std::vector<const Registration*> others,
              const std::string& known) {
  std::vector<std::string> versions;
  std::unordered_set<std::string> told;
  std::stable_sort(others.begin(), others.end(), [](const auto* a, const auto* b) {
    return total_order(a->package_version(), b->package_version()) > 0;
  });
  for (const Registration* one : others) {
    std::string text = one->package_version().to_string();
    text += one->builtin ? " (builtin)" : " (standalone)";
    if (told.insert(text).second) versions.push_back(std::move(text));
  }
  std::string found = known.empty() ? "no plugin at all" : "only " + known;
  if (!versions.empty()) found = others[0]->name() + " " + some_of(versions, most_told);
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

std::size_t Registry::Named::place_of(const Registration& one) const {
  const auto place = std::partition_point(
      by_version.begin(), by_version.end(),
      [&](std::uint32_t other) { return stands_after(one, candidates[other]); });
  return static_cast<std::size_t>(place - by_version.begin());
}

Registry::Places Registry::Named::of(bool builtin) const {
  const Places all = by_version;
  return builtin ? all.first(builtins) : all.subspan(builtins);
}

Registry::Places Registry::Named::of(bool builtin, const Version& version) const {
  const Places all = of(builtin);
  const bool release = version.prerelease.empty();
  const auto is_before = [&](std::uint32_t place) {
    const Version& other = candidates[place].package_version();
    return other.prerelease.empty() == release ? other < version : release;
  };
  const auto is_not_after = [&](std::uint32_t place) {
    const Version& other = candidates[place].package_version();
    return other.prerelease.empty() == release ? other <= version : release;
  };
  const auto begin = std::partition_point(all.begin(), all.end(), is_before);
  return {begin, std::partition_point(begin, all.end(), is_not_after)};
}

/// What came first in the place of a fresh one. All of one origin that were added are of one
/// package.
const Registration* Registry::Named::rival(const Registration& fresh) const {
  const Places same_origin = of(fresh.builtin);
  if (same_origin.empty()) return nullptr;
  if (candidates[same_origin.front()].package() != fresh.package()) {
    const auto first = std::ranges::find(candidates, fresh.builtin, &Registration::builtin);
    return &*first;
  }
  const std::size_t place = place_of(fresh);
  if (place == by_version.size()) return nullptr;
  const Registration& next = candidates[by_version[place]];
  return stands_after(next, fresh) ? nullptr : &next;
}

void Registry::Named::add(Registration&& fresh) {
  const auto place = by_version.begin() + static_cast<std::ptrdiff_t>(place_of(fresh));
  by_version.insert(place, static_cast<std::uint32_t>(candidates.size()));
  builtins += fresh.builtin ? 1 : 0;
  has_first = has_first || fresh.comes_first;
  candidates.push_back(std::move(fresh));
}

/// The first in the order of `better` that is accepted. REQUIRED: `places` are of one origin.
template <class Accept>
const Registration* Registry::Named::best(Places places, const Accept& accept) const {
  for (const bool comes_first : {true, false}) {
    if (comes_first && !has_first) continue;
    for (std::size_t i = places.size(); i-- > 0;) {
      const Registration& candidate = candidates[places[i]];
      if (candidate.comes_first == comes_first && accept(candidate)) return &candidate;
    }
  }
  return nullptr;
}

Registry::Named& Registry::named(const Provided& provided) {
  auto kind = index_of_kinds_.find(provided.kind);
  if (kind == TextIndex::nothing) {
    kind = static_cast<std::uint32_t>(kinds_.size());
    kinds_.push_back({provided.kind});
    index_of_kinds_.add(kinds_[kind].kind, kind);
  }
  NamesOfKind& names = kinds_[kind];
  const auto fresh = static_cast<std::uint32_t>(named_.size());
  const auto found = names.index.add(provided.name, fresh);
  if (found != fresh) return named_[found];
  const bool has_at = provided.name.find('@') != std::string::npos;
  Named& made = named_.emplace_back(Named{names.kind, provided.name, has_at});
  names.names.push_back(&made);
  const auto first = index_of_names_.add(made.name, fresh);
  if (first != fresh) made.next_kind = std::exchange(named_[first].next_kind, fresh);
  return made;
}

std::vector<Error> Registry::add(const ListedModule& module, FileComparison& files) {
  const ModuleOrigin& origin = module.module->origin();
  const ModuleDescriptionPtr description = describe(module.manifest, origin.file);
  const Manifest& manifest = *description->manifest;
  std::vector<Error> left_out = misfits(*description);
  const PackageId id = bindings_->repository().find(manifest.name, manifest.version);
  const bool comes_first = id != none && bindings_->comes_first(id);
  const Error* refused = nullptr;
  if (auto refusal = id != none ? bindings_->refusal(id)
                                : bindings_->refusal(manifest.name, manifest.version)) {
    refused = &refusals_.emplace_back(std::move(*refusal));
  }
  for (std::uint32_t place = 0; place < manifest.provides.size(); place++) {
    const Provided& provided = manifest.provides[place];
    Named& named = this->named(provided);
    Registration fresh{.module = module.module,
                       .description = description,
                       .place = place,
                       .version = provided.version,
                       .fingerprint = provided.fingerprint,
                       .builtin = module.builtin(),
                       .comes_first = comes_first,
                       .refused = refused};
    const Registration* rival = named.rival(fresh);
    if (rival == nullptr) {
      named.add(std::move(fresh));
      continue;
    }
    const bool same_version = rival->package() == fresh.package() && !fresh.builtin;
    const bool differs = same_version && files.differ(origin.file, rival->module->origin().file);
    left_out.push_back(outdone(fresh, *rival, description->place(), differs));
  }
  return left_out;
}

void Registry::finish() {
  const auto id_of = [this](std::uint32_t kind) { return kinds_[kind].kind; };
  sorted_kinds_.clear();
  domains_.clear();
  for (std::uint32_t kind = 0; kind < kinds_.size(); kind++) {
    std::vector<const Named*>& names = kinds_[kind].names;
    if (!std::ranges::is_sorted(names, {}, &Named::name))
      std::ranges::sort(names, {}, &Named::name);
    sorted_kinds_.push_back(kind);
    domains_.push_back(kinds_[kind].kind.substr(0, kinds_[kind].kind.find('/')));
  }
  std::ranges::sort(sorted_kinds_, {}, id_of);
  std::ranges::sort(domains_);
  domains_.erase(std::unique(domains_.begin(), domains_.end()), domains_.end());
}

const Registry::NamesOfKind* Registry::names_of(std::string_view kind) const noexcept {
  const auto found = index_of_kinds_.find(kind);
  return found != TextIndex::nothing ? &kinds_[found] : nullptr;
}

std::optional<Error> Registry::refusal(const Registration& candidate, const Package* asker) const {
  if (asker == nullptr) {
    return candidate.refused != nullptr ? std::optional(*candidate.refused) : std::nullopt;
  }
  return bindings_->refusal(*asker, candidate.package(), candidate.package_version(),
                            candidate.builtin);
}

const Registration* Registry::choose(const Named& named, std::int32_t target, const Kind& kind,
                                     const Reference& reference, Asker asker) const {
  // Nobody looks through all versions for one that is there.
  const auto exact = [&](bool builtin) {
    return reference.version ? named.of(builtin, *reference.version) : named.of(builtin);
  };
  const auto has_step = [&](const Registration& candidate, int step) {
    return reference.step_down(candidate.package_version()) == step;
  };
  bool is_there = !reference.version;
  for (const bool builtin : {false, true}) {
    if (is_there || !from(builtin, reference.origin)) continue;
    is_there = std::ranges::any_of(
        exact(builtin), [&](std::uint32_t place) { return has_step(named.candidates[place], 0); });
  }
  for (const bool builtin : {false, true}) {
    if (!from(builtin, reference.origin)) continue;
    for (const int step : {0, 1, 2}) {
      if (is_there != (step == 0)) continue;
      const auto* best = named.best(
          is_there ? exact(builtin) : named.of(builtin), [&](const Registration& candidate) {
            if (!has_step(candidate, step) || !serves(candidate, kind, target)) return false;
            if (asker.refused_too) return true;
            return asker.package == nullptr ? candidate.refused == nullptr
                                            : !refusal(candidate, asker.package);
          });
      if (best != nullptr) return best;
    }
  }
  return nullptr;
}

const Registration* Registry::find_plain(const Kind& kind, std::int32_t target,
                                         std::string_view name) const noexcept {
  const NamesOfKind* names = names_of(kind.id);
  const auto found = names != nullptr ? names->index.find(name) : TextIndex::nothing;
  if (found == TextIndex::nothing) return nullptr;
  const Named& named = named_[found];
  if (named.has_at) return nullptr;
  for (const bool builtin : {false, true}) {
    const auto* best = named.best(named.of(builtin), [&](const Registration& candidate) {
      return candidate.refused == nullptr && serves(candidate, kind, target);
    });
    if (best != nullptr) return best;
  }
  return nullptr;
}

/// The first names of a kind.
std::string Registry::some_names(const NamesOfKind& names) const {
  std::vector<std::string> first;
  for (std::size_t i = 0; i < names.names.size() && i < most_told; i++) {
    first.emplace_back(names.names[i]->name);
  }
  return first_of(first, names.names.size());
}

/// The first names of all kinds; empty: there is none.
std::string Registry::some_names() const {
  std::vector<std::string_view> known;
  for (const Named& named : named_) known.push_back(named.name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const auto told = std::span(known).first(std::min(known.size(), most_told));
  return first_of(std::vector<std::string>(told.begin(), told.end()), known.size());
}

Result<const Registration*> Registry::find(const Kind& kind, std::int32_t target,
                                           const Reference& reference, const Package* asker) const {
  const NamesOfKind* names = names_of(kind.id);
  if (names == nullptr) return not_found(reference, "no plugin of that kind", kind);
  const auto found = names->index.find(reference.name);
  if (found == TextIndex::nothing) {
    const std::string nothing = reference.origin == Reference::Origin::any
                                    ? "neither a drop-in nor a builtin; only "
                                    : "only ";
    return not_found(reference, nothing + some_names(*names), kind);
  }
  const Named& named = named_[found];
  if (const auto* best = choose(named, target, kind, reference, {asker})) return best;
  if (const auto* best = choose(named, target, kind, reference, {asker, true})) {
    return *refusal(*best, asker);
  }
  return Error(
      {.code = "not-found",
       .where = reference.name,
       .found = candidates_in_words(named.candidates, kind, target, reference.origin),
       .needed =
           "one that fits" + wanted_in_words(reference) + std::string(among(reference.origin)),
       .fix = "put its module into a folder of the plugin path, or correct the reference"});
}

/// All of a name, sorted by kind. A short name stands for those in the domain of their kind.
std::vector<const Registry::Named*> Registry::named_in_all_kinds(std::string_view name,
                                                                 bool short_name) const {
  std::vector<const Named*> all;
  const auto add = [&](std::string_view whole, std::string_view domain) {
    auto at = index_of_names_.find(whole);
    for (; at != TextIndex::nothing; at = named_[at].next_kind) {
      const std::string_view kind = named_[at].kind;
      if (domain.empty() || kind.substr(0, kind.find('/')) == domain) all.push_back(&named_[at]);
    }
  };
  if (short_name) {
    const std::string_view rest = name.substr(name.find('/'));
    for (const std::string_view domain : domains_) add(std::string(domain).append(rest), domain);
  } else {
    add(name, "");
  }
  std::ranges::sort(all, {}, &Named::kind);
  return all;
}

Result<std::vector<const Registration*>> Registry::find_all(std::string_view reference,
                                                            std::string_view domain) const {
  // Which domain a name without one gets, each kind says; all else is the same for all.
  auto wished = Reference::parse(reference, domain.empty() ? "any.domain" : domain);
  if (!wished) return std::move(wished).error();
  const bool short_name = domain.empty() && reference.find('/') == std::string_view::npos;
  const auto named = named_in_all_kinds(wished->name, short_name);
  std::vector<const Registration*> result;
  if (wished->version) {
    for (const Named* one : named) {
      for (const bool builtin : {false, true}) {
        for (const std::uint32_t place : one->of(builtin, *wished->version)) {
          const Registration& candidate = one->candidates[place];
          const bool exact = wished->step_down(candidate.package_version()) == 0;
          if (exact && from(builtin, wished->origin)) result.push_back(&candidate);
        }
      }
    }
  }
  std::vector<const Registration*> others;  // of that name
  if (result.empty()) {
    for (const Named* one : named) {
      for (const Registration& candidate : one->candidates) {
        (answers(candidate, *wished) ? result : others).push_back(&candidate);
      }
    }
  }
  if (result.empty()) return none_of(reference, std::move(others), some_names());
  std::stable_sort(result.begin(), result.end(),
                   [&wished](const auto* a, const auto* b) { return better(*a, *b, *wished); });
  return result;
}

std::vector<const Registration*> Registry::newest(const Kind& kind, std::int32_t target,
                                                  const Package* asker) const {
  std::vector<const Registration*> result;
  const NamesOfKind* names = names_of(kind.id);
  if (names == nullptr) return result;
  for (const Named* named : names->names) {
    const Registration* best = choose(*named, target, kind, {}, {asker});
    if (best != nullptr) result.push_back(best);
  }
  return result;
}

std::vector<const Registration*> Registry::all() const {
  std::vector<const Registration*> result;
  for (const std::uint32_t kind : sorted_kinds_) {
    for (const Named* named : kinds_[kind].names) {
      for (const Registration& one : named->candidates) result.push_back(&one);
    }
  }
  return result;
}

}  // namespace tenon::detail
