// SPDX-License-Identifier: BSL-1.0
#include "catalog/registry.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/quote.hpp"
#include "catalog/compatibility.hpp"

namespace tenon::inline v0_1::detail {
namespace {

// The maximum number of names or versions in a message.
constexpr std::size_t max_listed = 10;

bool from(bool builtin, Reference::Origin origin) {
  return origin == Reference::Origin::any || builtin == (origin == Reference::Origin::builtin);
}

bool matches(const Registration& candidate, const Reference& reference) {
  return from(candidate.builtin, reference.origin) &&
         reference.match_rank(candidate.package_version());
}

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

bool serves(const Registration& candidate, const Kind& kind, std::int32_t target) noexcept {
  const KindVersion* version = kind.find(candidate.version);
  return version != nullptr && version->fingerprint == candidate.fingerprint &&
         version->serves(target);
}

/// Returns whether `a` comes after `b` in Named::by_version.
bool ordered_after(const Registration& a, const Registration& b) {
  if (a.builtin != b.builtin) return b.builtin;
  const bool a_release = a.package_version().prerelease.empty();
  const bool b_release = b.package_version().prerelease.empty();
  if (a_release != b_release) return a_release;
  const auto order = total_order(a.package_version(), b.package_version());
  return order != 0 ? order > 0 : a.version > b.version;
}

/// Returns whether `a` is preferred over `b`: standalone before builtin, exact matches before
/// others, preferred versions before others, releases before prereleases, newer before older.
/// REQUIRED: both match the reference.
bool better(const Registration& a, const Registration& b, const Reference& reference) {
  if (a.builtin != b.builtin) return b.builtin;
  const int a_rank = *reference.match_rank(a.package_version());
  const int b_rank = *reference.match_rank(b.package_version());
  if (a_rank != b_rank) return a_rank < b_rank;
  if (a.is_preferred != b.is_preferred) return a.is_preferred;
  return ordered_after(a, b);
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

/// Returns the error for a plugin that is already registered. `differs` means that the files of
/// both have the same version but not the same content.
Error duplicate_error(const Registration& late, const Registration& existing,
                      const std::string& where, bool differs) {
  const std::string found = title_of(late.provided()) + " of package " + late.package() + " " +
                            late.package_version().to_string();
  if (existing.package() != late.package()) {
    return Error({.code = "name-taken",
                  .where = where,
                  .found = found,
                  .needed = "a name that package " + existing.package() + " in " +
                            existing.description->location() + " does not use",
                  .fix = "rename the plugin, or remove one of the two"});
  }
  if (differs) {
    return Error({.code = "package-differs",
                  .where = where,
                  .found = found + ", with other content than " + existing.description->location() +
                           ", which is used",
                  .needed = "the same content in all files of one package version",
                  .fix = "change the version of one of the two, or remove it"});
  }
  return Error({.code = "duplicate-file",
                .where = where,
                .found = found,
                .needed = "one file; the same is in " + existing.description->location(),
                .fix = "remove one of the two files",
                .grade = ErrorGrade::warning});  // the plugin is usable
}

Error not_found(const Reference& reference, std::string found, const Kind& kind) {
  return Error({.code = "not-found",
                .where = reference.name,
                .found = std::move(found),
                .needed = "a plugin of " + std::string(kind.id) + " with that name",
                .fix = "put its module into a folder of the plugin path, or correct the name"});
}

std::string describe(const Registration& candidate) {
  return candidate.package_version().to_string() +
         (candidate.builtin ? " (builtin" : " (standalone") + ", version " +
         std::to_string(candidate.version) + " of the kind";
}

/// Returns the existing versions, and why each cannot be used. Lists both origins separately if the
/// reference allows both.
std::string describe_candidates(const std::vector<Registration>& candidates, const Kind& kind,
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
        .push_back(describe(candidate) + obstacle(candidate, kind, target) + ")");
  }
  if (asked != Reference::Origin::any) {
    standalone.insert(standalone.end(), builtins.begin(), builtins.end());
    return some_of(standalone, max_listed);
  }
  return (standalone.empty() ? "no standalone plugin" : some_of(standalone, max_listed)) + "; " +
         (builtins.empty() ? "no builtin" : some_of(builtins, max_listed));
}

/// Returns the error for a reference that names no plugin of any kind. `others` have its name;
/// `known` lists some existing names.
Error none_of(std::string_view reference, std::vector<const Registration*> others,
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
                .fix = "put its module into a folder of the plugin path, or correct the "
                       "reference"});
}

std::string version_suffix(const Reference& reference) {
  if (reference.version) return " " + reference.version->to_string();
  return reference.requirement ? " " + reference.requirement->to_string() : "";
}

}  // namespace

std::size_t Registry::Named::position_of(const Registration& one) const {
  const auto index = std::partition_point(
      by_version.begin(), by_version.end(),
      [&](std::uint32_t other) { return ordered_after(one, candidates[other]); });
  return static_cast<std::size_t>(index - by_version.begin());
}

Registry::Indexes Registry::Named::of(bool builtin) const {
  const Indexes all = by_version;
  return builtin ? all.first(builtins) : all.subspan(builtins);
}

Registry::Indexes Registry::Named::of(bool builtin, const Version& version) const {
  const Indexes all = of(builtin);
  const bool release = version.prerelease.empty();
  const auto is_before = [&](std::uint32_t index) {
    const Version& other = candidates[index].package_version();
    return other.prerelease.empty() == release ? other < version : release;
  };
  const auto is_not_after = [&](std::uint32_t index) {
    const Version& other = candidates[index].package_version();
    return other.prerelease.empty() == release ? other <= version : release;
  };
  const auto begin = std::partition_point(all.begin(), all.end(), is_before);
  return {begin, std::partition_point(begin, all.end(), is_not_after)};
}

/// Returns the candidate that a fresh one conflicts with, or nullptr. All candidates of one origin
/// belong to one package.
const Registration* Registry::Named::existing(const Registration& fresh) const {
  const Indexes same_origin = of(fresh.builtin);
  if (same_origin.empty()) return nullptr;
  if (candidates[same_origin.front()].package() != fresh.package()) {
    const auto first = std::ranges::find(candidates, fresh.builtin, &Registration::builtin);
    return &*first;
  }
  const std::size_t index = position_of(fresh);
  if (index == by_version.size()) return nullptr;
  const Registration& next = candidates[by_version[index]];
  return ordered_after(next, fresh) ? nullptr : &next;
}

void Registry::Named::add(Registration&& fresh) {
  const auto index = by_version.begin() + static_cast<std::ptrdiff_t>(position_of(fresh));
  by_version.insert(index, static_cast<std::uint32_t>(candidates.size()));
  builtins += fresh.builtin ? 1 : 0;
  has_preferred = has_preferred || fresh.is_preferred;
  candidates.push_back(std::move(fresh));
}

/// Returns the first accepted candidate in the order of `better`.
/// REQUIRED: `indexes` are of one origin.
template <class Accept>
const Registration* Registry::Named::best(Indexes indexes, const Accept& accept) const {
  for (const bool is_preferred : {true, false}) {
    if (is_preferred && !has_preferred) continue;
    for (std::size_t i = indexes.size(); i-- > 0;) {
      const Registration& candidate = candidates[indexes[i]];
      if (candidate.is_preferred == is_preferred && accept(candidate)) return &candidate;
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
  Named& made = named_.emplace_back(Named{names.kind, provided.name});
  names.names.push_back(&made);
  const auto first = index_of_names_.add(made.name, fresh);
  if (first != fresh) made.next_kind = std::exchange(named_[first].next_kind, fresh);
  return made;
}

std::vector<Error> Registry::add(const ListedModule& module, FileComparison& files) {
  const ModuleOrigin& origin = module.module->origin();
  const ModuleDescriptionPtr description = describe(module.manifest, origin.file);
  const Manifest& manifest = *description->manifest;
  std::vector<Error> left_out = incompatibilities(*description);
  const PackageId id = bindings_->repository().find(manifest.name, manifest.version);
  const bool is_preferred = id != none && bindings_->is_preferred(id);
  const Error* refused = nullptr;
  if (auto checked =
          id != none ? bindings_->check(id) : bindings_->check(manifest.name, manifest.version);
      !checked) {
    refused = &refusals_.emplace_back(std::move(checked).error());
  }
  for (std::uint32_t index = 0; index < manifest.provides.size(); ++index) {
    const Provided& provided = manifest.provides[index];
    Named& named = this->named(provided);
    Registration fresh{.module = module.module,
                       .description = description,
                       .index = index,
                       .version = provided.version,
                       .fingerprint = provided.fingerprint,
                       .builtin = module.builtin(),
                       .is_preferred = is_preferred,
                       .refused = refused};
    const Registration* existing = named.existing(fresh);
    if (existing == nullptr) {
      named.add(std::move(fresh));
      continue;
    }
    const bool same_version = existing->package() == fresh.package() && !fresh.builtin;
    const bool differs = same_version && files.differ(origin.file, existing->module->origin().file);
    left_out.push_back(duplicate_error(fresh, *existing, description->location(), differs));
  }
  return left_out;
}

Result<void> Registry::check_replacement(const std::filesystem::path& file, const Manifest& before,
                                         const Manifest& fresh, FileComparison& files) const {
  if (&before == &fresh) return {};
  const ModuleDescriptionPtr description = describe(std::make_shared<const Manifest>(fresh), file);
  const bool same_version = total_order(before.version, fresh.version) == 0;
  for (std::uint32_t index = 0; index < fresh.provides.size(); ++index) {
    const Provided& provided = fresh.provides[index];
    const bool had_name = std::ranges::any_of(before.provides, [&](const Provided& old) {
      return old.kind == provided.kind && old.name == provided.name;
    });
    const NamesOfKind* names = names_of(provided.kind);
    const auto found = names != nullptr ? names->index.find(provided.name) : TextIndex::nothing;
    if (found == TextIndex::nothing || (had_name && same_version)) continue;
    const Registration late{.module = nullptr,
                            .description = description,
                            .index = index,
                            .version = provided.version,
                            .fingerprint = provided.fingerprint,
                            .builtin = false,
                            .is_preferred = false,
                            .refused = nullptr};
    for (const Registration& other : named_[found].candidates) {
      const std::filesystem::path& of_other = other.module->origin().file;
      if (other.builtin || of_other == file) continue;
      const bool taken = other.package() != late.package() && !had_name;
      const bool differs = other.package() == late.package() &&
                           total_order(other.package_version(), fresh.version) == 0 &&
                           files.differ(file, of_other);
      if (!taken && !differs) continue;
      return duplicate_error(late, other, description->location(), differs);
    }
  }
  return {};
}

void Registry::finish() {
  const auto id_of = [this](std::uint32_t kind) { return kinds_[kind].kind; };
  sorted_kinds_.clear();
  domains_.clear();
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
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

Result<void> Registry::check(const Registration& candidate, const Package* requester) const {
  if (requester == nullptr) {
    return candidate.refused != nullptr ? Result<void>(*candidate.refused) : Result<void>();
  }
  return bindings_->check(*requester, candidate.package(), candidate.package_version(),
                          candidate.builtin);
}

const Registration* Registry::choose(const Named& named, std::int32_t target, const Kind& kind,
                                     const Reference& reference, Requester requester) const {
  // An exact version is found by binary search, without a look at all versions.
  const auto exact = [&](bool builtin) {
    return reference.version ? named.of(builtin, *reference.version) : named.of(builtin);
  };
  const auto has_rank = [&](const Registration& candidate, int rank) {
    return reference.match_rank(candidate.package_version()) == rank;
  };
  bool is_available = !reference.version;
  for (const bool builtin : {false, true}) {
    if (is_available || !from(builtin, reference.origin)) continue;
    is_available = std::ranges::any_of(
        exact(builtin), [&](std::uint32_t index) { return has_rank(named.candidates[index], 0); });
  }
  for (const bool builtin : {false, true}) {
    if (!from(builtin, reference.origin)) continue;
    for (const int rank : {0, 1, 2}) {
      if (is_available != (rank == 0)) continue;
      const auto* best = named.best(
          is_available ? exact(builtin) : named.of(builtin), [&](const Registration& candidate) {
            if (!has_rank(candidate, rank) || !serves(candidate, kind, target)) return false;
            if (requester.refused_too) return true;
            return requester.package == nullptr ? candidate.refused == nullptr
                                                : check(candidate, requester.package).has_value();
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
  for (const bool builtin : {false, true}) {
    const auto* best = named.best(named.of(builtin), [&](const Registration& candidate) {
      return candidate.refused == nullptr && serves(candidate, kind, target);
    });
    if (best != nullptr) return best;
  }
  return nullptr;
}

/// Returns the first names of a kind.
std::string Registry::some_names(const NamesOfKind& names) const {
  std::vector<std::string> first;
  for (std::size_t i = 0; i < names.names.size() && i < max_listed; ++i) {
    first.emplace_back(names.names[i]->name);
  }
  return first_of(first, names.names.size());
}

/// Returns the first names of all kinds, or an empty text if there are none.
std::string Registry::some_names() const {
  std::vector<std::string_view> known;
  for (const Named& named : named_) known.push_back(named.name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const auto listed = std::span(known).first(std::min(known.size(), max_listed));
  return first_of(std::vector<std::string>(listed.begin(), listed.end()), known.size());
}

Result<const Registration*> Registry::find(const Kind& kind, std::int32_t target,
                                           const Reference& reference,
                                           const Package* requester) const {
  const NamesOfKind* names = names_of(kind.id);
  if (names == nullptr) return not_found(reference, "no plugin of that kind", kind);
  const auto found = names->index.find(reference.name);
  if (found == TextIndex::nothing) {
    const std::string nothing = reference.origin == Reference::Origin::any
                                    ? "neither a standalone plugin nor a builtin; only "
                                    : "only ";
    return not_found(reference, nothing + some_names(*names), kind);
  }
  const Named& named = named_[found];
  if (const auto* best = choose(named, target, kind, reference, {requester})) return best;
  if (const auto* best = choose(named, target, kind, reference, {requester, true})) {
    return check(*best, requester).error();
  }
  return Error(
      {.code = "not-found",
       .where = reference.name,
       .found = describe_candidates(named.candidates, kind, target, reference.origin),
       .needed = "a compatible version" + version_suffix(reference) +
                 std::string(among(reference.origin)),
       .fix = "put its module into a folder of the plugin path, or correct the reference"});
}

/// Returns all plugins of a name, sorted by kind. A short name names the plugins in the domain of
/// their kind.
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
  // Each kind has its own default domain; the rest of the reference is the same for all kinds.
  auto parsed = Reference::parse(reference, domain.empty() ? "any.domain" : domain);
  if (!parsed) return std::move(parsed).error();
  const bool short_name = domain.empty() && reference.find('/') == std::string_view::npos;
  const auto named = named_in_all_kinds(parsed->name, short_name);
  std::vector<const Registration*> result;
  if (parsed->version) {
    for (const Named* one : named) {
      for (const bool builtin : {false, true}) {
        for (const std::uint32_t index : one->of(builtin, *parsed->version)) {
          const Registration& candidate = one->candidates[index];
          const bool exact = parsed->match_rank(candidate.package_version()) == 0;
          if (exact && from(builtin, parsed->origin)) result.push_back(&candidate);
        }
      }
    }
  }
  std::vector<const Registration*> others;  // of that name
  if (result.empty()) {
    for (const Named* one : named) {
      for (const Registration& candidate : one->candidates) {
        (matches(candidate, *parsed) ? result : others).push_back(&candidate);
      }
    }
  }
  if (result.empty()) return none_of(reference, std::move(others), some_names());
  std::stable_sort(result.begin(), result.end(),
                   [&parsed](const auto* a, const auto* b) { return better(*a, *b, *parsed); });
  return result;
}

std::vector<const Registration*> Registry::newest(const Kind& kind, std::int32_t target,
                                                  const Package* requester) const {
  std::vector<const Registration*> result;
  const NamesOfKind* names = names_of(kind.id);
  if (names == nullptr) return result;
  for (const Named* named : names->names) {
    const Registration* best = choose(*named, target, kind, {}, {requester});
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

}  // namespace tenon::inline v0_1::detail
