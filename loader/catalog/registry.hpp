// SPDX-License-Identifier: BSL-1.0
//
// The registry: the plugins of all manifests, by kind and name.
#pragma once

#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_index.hpp"
#include "catalog/bindings.hpp"
#include "catalog/compatibility.hpp"
#include "catalog/file_comparison.hpp"
#include "catalog/reference.hpp"
#include "catalog/registration.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Const functions may be called from any thread once `finish` was called.
///
/// A requester is the package of a plugin that uses other plugins, or nullptr for the host. It sees
/// the plugins that its bindings allow.
class Registry {
 public:
  explicit Registry(std::shared_ptr<const Bindings> bindings) : bindings_(std::move(bindings)) {}

  const Bindings& bindings() const noexcept { return *bindings_; }

  /// Registers the plugins of a module. If two modules have the same plugin, the first is used.
  void add(const ListedModule& module, FileComparison& files);
  /// Returns the problems of modules, in their order: those of `incompatibilities`; name-taken;
  /// package-differs, if two files of the same version differ in content; otherwise duplicate-file,
  /// a warning.
  std::vector<Error> problems() const;
  /// Checks that a restart of the module in `file` may replace the manifest `before` by `fresh`:
  /// no plugin that it adds, or whose version it changes, is already registered by another file.
  /// Errors: those of duplicates except for warnings.
  Result<void> check_replacement(const std::filesystem::path& file, const Manifest& before,
                                 const Manifest& fresh, FileComparison& files) const;
  /// Called once, after all plugins are added.
  void finish();

  /// Returns the registration that a reference names, usable as version `target` of the kind. The
  /// order is by origin, then by version of the package, then by the newest version of the kind. If
  /// the named version of the package exists, it is returned or refused; another version is
  /// returned only if it is absent. Errors: not-found, with the existing ones; the bindings'
  /// refusal.
  Result<const Registration*> find(const Kind& kind, std::int32_t target,
                                   const Reference& reference,
                                   const Package* requester = nullptr) const;
  /// Returns the result of `find` for the host and a reference that is only a full name, without
  /// an allocation. Returns nullptr if there is none, or if the reference has a version.
  const Registration* find_plain(const Kind& kind, std::int32_t target,
                                 std::string_view name) const noexcept;

  /// Returns all registrations of any kind that a reference names, in the order of preference of
  /// `find`. A name without `/` gets `domain`, or the domain of each kind if that is absent.
  /// Errors: bad-reference, not-found.
  Result<std::vector<const Registration*>> find_all(std::string_view reference,
                                                    std::optional<std::string_view> domain) const;

  /// Returns one registration for each name of a kind: the result of `find` for the name alone.
  /// Sorted by name.
  std::vector<const Registration*> newest(const Kind& kind, std::int32_t target,
                                          const Package* requester = nullptr) const;

  /// Returns all registrations, also those that this program cannot use, sorted by kind and name.
  std::vector<const Registration*> all() const;

 private:
  using Indexes = std::span<const std::uint32_t>;  // of candidates, the best one last
  /// Most names have one plugin, in one version.
  template <class T>
  using Few = boost::container::small_vector<T, 1>;

  /// All plugins of one name and kind.
  // NOLINTNEXTLINE(bugprone-exception-escape): moving these elements allocates nothing
  struct Named {
    std::string_view kind;
    std::string_view name;
    Few<Registration> candidates = {};  // in the order in which they were added
    // Builtins, then standalone ones. In each group prereleases, then releases, the newest last.
    Few<std::uint32_t> by_version = {};
    std::size_t builtins = 0;
    bool has_preferred = false;  // some candidate is preferred

    std::size_t position_of(const Registration& one) const;
    Indexes of(bool builtin) const;
    /// Returns those of one version of the package, with any build metadata.
    Indexes of(bool builtin, const Version& version) const;
    const Registration* existing(const Registration& fresh) const;
    void add(const Registration& fresh);
    template <class Accept>
    const Registration* best(Indexes indexes, const Accept& accept) const;
  };
  struct NamesOfKind {
    std::string_view kind;
    std::uint32_t number;  // among the kinds
    TextIndex index = {};
    std::vector<const Named*> names = {};
  };

  /// The names of each kind, sorted. The first list of plugins sorts them.
  struct SortedNames {
    std::once_flag made;
    std::vector<std::vector<const Named*>> of_kinds = {};
  };

  /// The plugins of one name in all kinds. Few hosts look for these, so the first look-up finds
  /// them.
  struct NamesOfAllKinds {
    std::once_flag found;
    TextIndex index = {};                  // the first plugin of each name
    std::vector<std::uint32_t> next = {};  // by plugin: one of the same name, or none
  };

  /// Whose bindings decide. With `refused_too`, refused candidates are considered too.
  struct Requester {
    const Package* package;  // nullptr: the host
    bool refused_too = false;
  };

  /// A module of which some plugins are left out.
  struct LeftOut {
    const RegisteredModule* module;
    std::vector<Error> duplicates;
  };

  PackageId package_of(const Manifest& manifest, bool builtin);
  NamesOfKind& names_of_new(std::string_view kind);
  Named& named(const Provided& provided);
  const NamesOfKind* names_of(std::string_view kind) const noexcept;
  const std::vector<const Named*>& sorted(const NamesOfKind& names) const;
  const NamesOfAllKinds& names_of_all_kinds() const;
  std::vector<const Named*> named_in_all_kinds(const Reference& reference) const;
  std::string some_names() const;
  Result<void> check(const Registration& candidate, const Package* requester) const;
  const Registration* choose(const Named& named, std::int32_t target, const Kind& kind,
                             const Reference& reference, Requester requester) const;

  std::shared_ptr<const Bindings> bindings_;
  CompatibilityCheck compatibility_;
  std::deque<RegisteredModule> modules_;
  PackageId next_package_ = 0;  // probably that of the next standalone module
  std::deque<Error> refusals_;
  std::vector<LeftOut> left_out_;
  std::deque<Named> named_;
  std::deque<NamesOfKind> kinds_;
  TextIndex index_of_kinds_;
  NamesOfKind* last_kind_ = nullptr;  // to which a plugin was added
  std::unique_ptr<SortedNames> sorted_names_;
  std::unique_ptr<NamesOfAllKinds> names_of_all_kinds_;
  std::vector<std::uint32_t> sorted_kinds_;
  std::vector<std::string_view> domains_;  // of the kinds, without duplicates
};

}}}  // namespace tenon::v0_1::detail
