// SPDX-License-Identifier: BSL-1.0
//
// What is registered: the plugins of all modules, as their manifests say, found by kind and name.
#pragma once

#include <tenon/kind.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catalog/reference.hpp"
#include "manifest/manifest.hpp"
#include "module/module.hpp"
#include "registry/bindings.hpp"
#include "trust/file_comparison.hpp"

namespace tenon::detail {

/// A module and the manifest that it had when it was listed.
struct ListedModule {
  std::shared_ptr<Module> module;
  std::shared_ptr<const Manifest> manifest;

  bool builtin() const noexcept { return module->origin().builtin != nullptr; }
};

/// One plugin: a version of a kind under a name, in one version of a package.
struct Registration : Provided, ListedModule {
  std::string package;
  Version package_version;
  /// See Bindings::comes_first.
  bool comes_first;
  /// Why the host does not use that version of the package; nothing where it does.
  std::optional<Error> refused;
};

/// Const functions may be called from any thread once everything is added.
///
/// Who asks sees what the bindings let them see: a package, by which a plugin asks, or nullptr, the
/// host.
class Registry {
 public:
  explicit Registry(std::shared_ptr<const Bindings> bindings) : bindings_(std::move(bindings)) {}

  const Bindings& bindings() const noexcept { return *bindings_; }

  /// Registers what a module's manifest provides. The first to come wins: of two modules with the
  /// same plugin the later one's is left out. Returns the findings of `misfits`, and name-taken and
  /// duplicate: an error where the other file of the version holds something else, otherwise a
  /// warning.
  std::vector<Error> add(const ListedModule& module, FileComparison& files);

  /// The registration that a reference names, for use as version `target` of the kind: the origin
  /// first, then the version of the package, then the newest version of the kind in it. A version
  /// that is there is given or refused; the next best one is for a version that is absent.
  /// Errors: not-found, with what there is; why the bindings refuse what would do.
  Result<const Registration*> find(const Kind& kind, std::int32_t target,
                                   const Reference& reference,
                                   const Package* asker = nullptr) const;

  /// All registrations that a reference names, of whatever kind, those that `find` prefers first. A
  /// name without `/` gets the domain, or where it is empty that of each kind. Errors:
  /// wrong-reference, not-found.
  Result<std::vector<const Registration*>> find_all(std::string_view reference,
                                                    std::string_view domain) const;

  /// One per name of a kind, the one that `find` answers for the bare name; sorted by name.
  std::vector<const Registration*> newest(const Kind& kind, std::int32_t target,
                                          const Package* asker = nullptr) const;

  /// All, also what no kind of this program fits; sorted by kind and name.
  std::vector<const Registration*> all() const;

 private:
  using Candidates = std::vector<Registration>;

  /// All plugins of one name.
  struct Named {
    const Registration* rival(const Registration& fresh) const;
    void add(Registration&& fresh);

    Candidates candidates;
    // By origin, version of the kind and of the package to the letter: its place among the
    // candidates.
    std::map<std::tuple<bool, std::int32_t, std::string>, std::size_t> places;
    std::map<bool, std::size_t> first;  // of the builtins, and of the others
  };

  /// Whose refusals count.
  struct Asker {
    const Package* package;  // nullptr: the host
    bool refused_too = false;
  };

  std::optional<Error> refusal(const Registration& candidate, const Package* asker) const;
  const Registration* choose(const Candidates& candidates, std::int32_t target, const Kind& kind,
                             const Reference& reference, Asker asker) const;

  std::shared_ptr<const Bindings> bindings_;
  // By kind, then by name.
  std::map<std::string, std::map<std::string, Named, std::less<>>, std::less<>> kinds_;
};

}  // namespace tenon::detail
