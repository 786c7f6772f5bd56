// SPDX-License-Identifier: BSL-1.0
#include "catalog/registry.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "catalog/lookup_errors.hpp"
#include "catalog/preference.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

bool from(bool builtin, Reference::Origin origin) {
  return origin == Reference::Origin::any || builtin == (origin == Reference::Origin::builtin);
}

bool matches(const Registration& candidate, const Reference& reference) {
  return from(candidate.builtin, reference.origin) && reference.match(candidate.package_version());
}

bool serves(const Registration& candidate, const Kind& kind, std::int32_t target) noexcept {
  const KindVersion* version = kind.find(candidate.version);
  return version != nullptr && version->fingerprint == candidate.fingerprint &&
         version->serves(target);
}

}  // namespace

std::size_t Registry::Named::position_of(const Registration& one) const {
  const auto index =
      std::partition_point(by_version.begin(), by_version.end(),
                           [&](std::uint32_t other) { return is_newer(one, candidates[other]); });
  return static_cast<std::size_t>(index - by_version.begin());
}

Registry::Indexes Registry::Named::of(bool builtin) const {
  const Indexes all(by_version.data(), by_version.size());
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
  return is_newer(next, fresh) ? nullptr : &next;
}

void Registry::Named::add(const Registration& fresh) {
  const auto index = by_version.begin() + static_cast<std::ptrdiff_t>(position_of(fresh));
  by_version.insert(index, static_cast<std::uint32_t>(candidates.size()));
  builtins += fresh.builtin ? 1 : 0;
  has_preferred = has_preferred || fresh.is_preferred;
  candidates.push_back(fresh);
}

/// Returns the first accepted candidate in the order of preference. `indexes` must be of one origin
/// and one match.
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

Registry::NamesOfKind& Registry::names_of_new(std::string_view kind) {
  if (last_kind_ != nullptr && last_kind_->kind == kind) return *last_kind_;
  const auto [found, is_new] =
      index_of_kinds_.try_emplace(kind, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back({kind, found->second});
  last_kind_ = &kinds_[found->second];
  return *last_kind_;
}

Registry::Named& Registry::named(const Provided& provided) {
  NamesOfKind& names = names_of_new(provided.kind);
  // Most packages have one plugin, of one kind.
  if (named_.empty()) names.index.reserve(bindings_->repository().size());
  const auto fresh = static_cast<std::uint32_t>(named_.size());
  const auto [found, new_name] = names.index.try_emplace(provided.name, fresh);
  if (!new_name) return named_[found->second];
  Named& made = named_.emplace_back(Named{names.kind, provided.name});
  names.names.push_back(&made);
  return made;
}

/// Returns the package of a module in the repository, or none. The repository was filled in the
/// same order, so that most modules need no look-up.
PackageId Registry::package_of(const Manifest& manifest, bool builtin) {
  const Repository& repository = bindings_->repository();
  if (!builtin && next_package_ < repository.size()) {
    const Package& next = repository.package(next_package_);
    if (next.name == manifest.name && total_order(next.version, manifest.version) == 0)
      return next_package_++;
  }
  const PackageId found = repository.find(manifest.name, manifest.version);
  if (!builtin && found != none) next_package_ = found + 1;
  return found;
}

void Registry::add(const ListedModule& module, FileComparison& files) {
  const RegisteredModule& owner = modules_.emplace_back(module);
  const Manifest& manifest = owner.manifest();
  std::vector<Error> duplicates;
  const PackageId id = package_of(manifest, module.builtin());
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
    const Registration fresh{.owner = &owner,
                             .index = index,
                             .version = provided.version,
                             .fingerprint = provided.fingerprint,
                             .builtin = module.builtin(),
                             .is_preferred = is_preferred,
                             .refused = refused};
    const Registration* existing = named.existing(fresh);
    if (existing == nullptr) {
      named.add(fresh);
      continue;
    }
    const bool same_version = existing->package() == fresh.package() && !fresh.builtin;
    const bool differs = same_version && files.differ(owner.file(), existing->owner->file());
    duplicates.push_back(duplicate_error(fresh, *existing, owner.location(), differs));
  }
  if (!duplicates.empty() || compatibility_.has_problem(manifest))
    left_out_.push_back({&owner, std::move(duplicates)});
}

std::vector<Error> Registry::problems() const {
  std::vector<Error> all;
  for (const LeftOut& one : left_out_) {
    std::ranges::move(incompatibilities(*one.module->description()), std::back_inserter(all));
    std::ranges::copy(one.duplicates, std::back_inserter(all));
  }
  return all;
}

Result<void> Registry::check_replacement(const std::filesystem::path& file, const Manifest& before,
                                         const Manifest& fresh, FileComparison& files) const {
  if (&before == &fresh) return {};
  const RegisteredModule late_module({nullptr, std::make_shared<const Manifest>(fresh)});
  const bool same_version = total_order(before.version, fresh.version) == 0;
  for (std::uint32_t index = 0; index < fresh.provides.size(); ++index) {
    const Provided& provided = fresh.provides[index];
    const bool had_name = std::ranges::any_of(before.provides, [&](const Provided& old) {
      return old.kind == provided.kind && old.name == provided.name;
    });
    const NamesOfKind* names = names_of(provided.kind);
    const auto* found = names != nullptr ? number_of(names->index, provided.name) : nullptr;
    if (found == nullptr || (had_name && same_version)) continue;
    const Registration late{.owner = &late_module,
                            .index = index,
                            .version = provided.version,
                            .fingerprint = provided.fingerprint,
                            .builtin = false,
                            .is_preferred = false,
                            .refused = nullptr};
    for (const Registration& other : named_[*found].candidates) {
      const std::filesystem::path of_other = other.owner->file();
      if (other.builtin || of_other == file) continue;
      const bool taken = other.package() != late.package() && !had_name;
      const bool differs = other.package() == late.package() &&
                           total_order(other.package_version(), fresh.version) == 0 &&
                           files.differ(file, of_other);
      if (!taken && !differs) continue;
      return duplicate_error(late, other, location_of(fresh, file), differs);
    }
  }
  return {};
}

void Registry::finish() {
  const auto id_of = [this](std::uint32_t kind) { return kinds_[kind].kind; };
  sorted_kinds_.clear();
  domains_.clear();
  sorted_names_ = std::make_unique<SortedNames>();
  names_of_all_kinds_ = std::make_unique<NamesOfAllKinds>();
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
    sorted_kinds_.push_back(kind);
    domains_.push_back(kinds_[kind].kind.substr(0, kinds_[kind].kind.find('/')));
  }
  std::ranges::sort(sorted_kinds_, {}, id_of);
  std::ranges::sort(domains_);
  domains_.erase(std::unique(domains_.begin(), domains_.end()), domains_.end());
}

const Registry::NamesOfKind* Registry::names_of(std::string_view kind) const noexcept {
  constexpr std::size_t few = 8;  // of which a comparison with each is faster than a hash
  if (kinds_.size() <= few) {
    const auto found = std::ranges::find(kinds_, kind, &NamesOfKind::kind);
    return found != kinds_.end() ? &*found : nullptr;
  }
  const auto* found = number_of(index_of_kinds_, kind);
  return found != nullptr ? &kinds_[*found] : nullptr;
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
  const auto matches_as = [&](Match match, const Registration& candidate) {
    return reference.match(candidate.package_version()) == match;
  };
  bool is_available = !reference.version;
  for (const bool builtin : {false, true}) {
    if (is_available || !from(builtin, reference.origin)) continue;
    is_available = std::ranges::any_of(exact(builtin), [&](std::uint32_t index) {
      return matches_as(Match::exact, named.candidates[index]);
    });
  }
  for (const bool builtin : {false, true}) {
    if (!from(builtin, reference.origin)) continue;
    for (const Match match : {Match::exact, Match::same_minor, Match::same_major}) {
      if (is_available != (match == Match::exact)) continue;
      const auto* best = named.best(
          is_available ? exact(builtin) : named.of(builtin), [&](const Registration& candidate) {
            if (!matches_as(match, candidate) || !serves(candidate, kind, target)) return false;
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
  const auto* found = names != nullptr ? number_of(names->index, name) : nullptr;
  if (found == nullptr) return nullptr;
  return choose(named_[*found], target, kind, {}, {nullptr});
}

/// Returns the first names of all kinds, or an empty text if there are none.
std::string Registry::some_names() const {
  std::vector<std::string_view> known;
  for (const Named& named : named_) known.push_back(named.name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return first_names(known);
}

Result<const Registration*> Registry::find(const Kind& kind, std::int32_t target,
                                           const Reference& reference,
                                           const Package* requester) const {
  const NamesOfKind* names = names_of(kind.id);
  if (names == nullptr) return no_kind(reference, kind);
  const auto* found = number_of(names->index, reference.name);
  if (found == nullptr) {
    std::vector<std::string_view> known;
    for (const Named* named : sorted(*names)) known.push_back(named->name);
    return no_name(reference, kind, first_names(known));
  }
  const Named& named = named_[*found];
  if (const auto* best = choose(named, target, kind, reference, {requester})) return best;
  if (const auto* best = choose(named, target, kind, reference, {requester, true})) {
    return check(*best, requester).error();
  }
  return no_compatible(reference, kind, target, {named.candidates.data(), named.candidates.size()});
}

const std::vector<const Registry::Named*>& Registry::sorted(const NamesOfKind& names) const {
  std::call_once(sorted_names_->made, [this] {
    for (const NamesOfKind& kind : kinds_) {
      std::ranges::sort(sorted_names_->of_kinds.emplace_back(kind.names), {}, &Named::name);
    }
  });
  return sorted_names_->of_kinds[names.number];
}

const Registry::NamesOfAllKinds& Registry::names_of_all_kinds() const {
  NamesOfAllKinds& names = *names_of_all_kinds_;
  std::call_once(names.found, [&] {
    names.next.assign(named_.size(), none);
    for (std::uint32_t i = 0; i < named_.size(); ++i) {
      const auto [first, only] = names.index.try_emplace(named_[i].name, i);
      if (!only) names.next[i] = std::exchange(names.next[first->second], i);
    }
  });
  return names;
}

/// Returns all plugins of a name, sorted by kind. A name without a domain names the plugins in the
/// domain of their kind.
std::vector<const Registry::Named*> Registry::named_in_all_kinds(const Reference& reference) const {
  std::vector<const Named*> all;
  const NamesOfAllKinds& names = names_of_all_kinds();
  const auto add = [&](std::string_view whole, std::string_view domain) {
    const auto* found = number_of(names.index, whole);
    for (std::uint32_t i = found != nullptr ? *found : none; i != none; i = names.next[i]) {
      const std::string_view kind = named_[i].kind;
      if (domain.empty() || kind.substr(0, kind.find('/')) == domain) all.push_back(&named_[i]);
    }
  };
  if (reference.has_domain()) {
    add(reference.name, "");
  } else {
    for (const std::string_view domain : domains_) {
      add(std::string(domain) + "/" + reference.name, domain);
    }
  }
  std::ranges::sort(all, {}, &Named::kind);
  return all;
}

Result<std::vector<const Registration*>> Registry::find_all(
    std::string_view reference, std::optional<std::string_view> domain) const {
  auto parsed = Reference::parse(reference, domain);
  if (!parsed) return std::move(parsed).error();
  const auto named = named_in_all_kinds(*parsed);
  std::vector<const Registration*> result;
  if (parsed->version) {
    for (const Named* one : named) {
      for (const bool builtin : {false, true}) {
        for (const std::uint32_t index : one->of(builtin, *parsed->version)) {
          const Registration& candidate = one->candidates[index];
          const bool exact = parsed->match(candidate.package_version()) == Match::exact;
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
  if (result.empty()) return no_plugin(reference, std::move(others), some_names());
  const PreferenceOrder preferred(*parsed);
  std::ranges::stable_sort(result, [&](const auto* a, const auto* b) { return preferred(*a, *b); });
  return result;
}

std::vector<const Registration*> Registry::newest(const Kind& kind, std::int32_t target,
                                                  const Package* requester) const {
  std::vector<const Registration*> result;
  const NamesOfKind* names = names_of(kind.id);
  if (names == nullptr) return result;
  for (const Named* named : sorted(*names)) {
    const Registration* best = choose(*named, target, kind, {}, {requester});
    if (best != nullptr) result.push_back(best);
  }
  return result;
}

std::vector<const Registration*> Registry::all() const {
  std::vector<const Registration*> result;
  for (const std::uint32_t kind : sorted_kinds_) {
    for (const Named* named : sorted(kinds_[kind])) {
      for (const Registration& one : named->candidates) result.push_back(&one);
    }
  }
  return result;
}

}}}  // namespace tenon::v0_1::detail
