// SPDX-License-Identifier: BSL-1.0
//
// What is registered: the plugins of all modules, as their manifests say, found by kind and name.
#pragma once

#include <tenon/gen/kind.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_index.hpp"
#include "catalog/bindings.hpp"
#include "catalog/description.hpp"
#include "catalog/file_comparison.hpp"
#include "catalog/reference.hpp"
#include "manifest/manifest.hpp"
#include "module/module.hpp"

namespace tenon::detail {

/// A module and the manifest that it had when it was listed.
struct ListedModule {
  std::shared_ptr<Module> module;
  std::shared_ptr<const Manifest> manifest;

  bool builtin() const noexcept { return module->origin().builtin != nullptr; }
};

/// One plugin: a version of a kind under a name, in one version of a package.
struct Registration {
  std::shared_ptr<Module> module;
  ModuleDescriptionPtr description;
  std::uint32_t place;  // of the plugin in the manifest
  std::int32_t version;
  std::uint64_t fingerprint;
  bool builtin;
  /// See Bindings::comes_first.
  bool comes_first;
  /// Why the host does not use that version of the package; nullptr where it does.
  const Error* refused;

  const Provided& provided() const noexcept { return *description->plugins[place].provided; }
  const std::string& kind() const noexcept { return provided().kind; }
  const std::string& name() const noexcept { return provided().name; }
  const std::string& package() const noexcept { return description->manifest->name; }
  const Version& package_version() const noexcept { return description->manifest->version; }
};

/// Const functions may be called from any thread once everything is added and `finish` was called.
///
/// Who asks sees what the bindings let them see: a package, by which a plugin asks, or nullptr, the
/// host.
class Registry {
 public:
  explicit Registry(std::shared_ptr<const Bindings> bindings) : bindings_(std::move(bindings)) {}

  const Bindings& bindings() const noexcept { return *bindings_; }

  /// Registers what a module's manifest provides. The first to come wins: of two modules with the
  /// same plugin the later one's is left out. Returns the findings of `misfits`; name-taken;
  /// package-differs, where the other file of the version holds something else; otherwise
  /// duplicate-file, a warning.
  std::vector<Error> add(const ListedModule& module, FileComparison& files);
  /// Sorts what was added.
  void finish();

  /// The registration that a reference names, for use as version `target` of the kind: the origin
  /// first, then the version of the package, then the newest version of the kind in it. A version
  /// that is there is given or refused; the next best one is for a version that is absent.
  /// Errors: not-found, with what there is; why the bindings refuse what would do.
  Result<const Registration*> find(const Kind& kind, std::int32_t target,
                                   const Reference& reference,
                                   const Package* asker = nullptr) const;
  /// What `find` returns to the host for a reference that is a whole name and nothing else; nullptr
  /// where there is none, and where a version follows the name.
  const Registration* find_plain(const Kind& kind, std::int32_t target,
                                 std::string_view name) const noexcept;

  /// All registrations that a reference names, of whatever kind, those that `find` prefers first. A
  /// name without `/` gets the domain, or where it is empty that of each kind. Errors:
  /// bad-reference, not-found.
  Result<std::vector<const Registration*>> find_all(std::string_view reference,
                                                    std::string_view domain) const;

  /// One per name of a kind, the one that `find` answers for the bare name; sorted by name.
  std::vector<const Registration*> newest(const Kind& kind, std::int32_t target,
                                          const Package* asker = nullptr) const;

  /// All, also what no kind of this program fits; sorted by kind and name.
  std::vector<const Registration*> all() const;

 private:
  using Places = std::span<const std::uint32_t>;  // of candidates, better ones last

  /// All plugins of one name and kind.
  struct Named {
    std::string_view kind;
    std::string_view name;
    bool has_at;                                // a reference to it needs a version
    std::vector<Registration> candidates = {};  // in the order in which they came
    // Builtins, then the others; of these prereleases, then releases; the newer ones last.
    std::vector<std::uint32_t> by_version = {};
    std::size_t builtins = 0;
    bool has_first = false;                        // a candidate comes first
    std::uint32_t next_kind = TextIndex::nothing;  // the same name in another kind

    std::size_t place_of(const Registration& one) const;
    Places of(bool builtin) const;
    /// Those of one version of the package, whatever its build metadata.
    Places of(bool builtin, const Version& version) const;
    const Registration* rival(const Registration& fresh) const;
    void add(Registration&& fresh);
    template <class Accept>
    const Registration* best(Places places, const Accept& accept) const;
  };
  struct NamesOfKind {
    std::string_view kind;
    TextIndex index = {};
    std::vector<const Named*> names = {};  // sorted
  };

  /// Whose refusals count.
  struct Asker {
    const Package* package;  // nullptr: the host
    bool refused_too = false;
  };

  Named& named(const Provided& provided);
  const NamesOfKind* names_of(std::string_view kind) const noexcept;
  std::vector<const Named*> named_in_all_kinds(std::string_view name, bool short_name) const;
  std::string some_names() const;
  std::string some_names(const NamesOfKind& names) const;
  std::optional<Error> refusal(const Registration& candidate, const Package* asker) const;
  const Registration* choose(const Named& named, std::int32_t target, const Kind& kind,
                             const Reference& reference, Asker asker) const;

  std::shared_ptr<const Bindings> bindings_;
  std::deque<Error> refusals_;
  std::deque<Named> named_;
  std::deque<NamesOfKind> kinds_;
  TextIndex index_of_kinds_;
  TextIndex index_of_names_;  // the first of each name; the rest follows by `next_kind`
  std::vector<std::uint32_t> sorted_kinds_;
  std::vector<std::string_view> domains_;  // of the kinds, each once
};

}  // namespace tenon::detail
