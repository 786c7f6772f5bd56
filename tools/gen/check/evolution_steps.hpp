// SPDX-License-Identifier: BSL-1.0
//
// The common part of the evolution of kinds and of document types: steps, renames and diagnostics.
#pragma once

#include "gen/common.hpp"
#include "gen/read/spec_files.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tenon::gen {

/// Returns the steps of `folder.evolution` by the version that they lead to. Reports missing and
/// duplicate steps, and steps that are not between neighbours. `key` is "kind" or "type"; `keys`
/// are the keys of a step besides from, to and notes.
std::map<VersionName, ObjectReader> find_steps(const SpecFolder& folder, const std::string& key,
                                               const std::string& id, std::vector<std::string> keys,
                                               Diagnostics& diagnostics);

/// The names in one version of a step, or in one of its structs or enums.
class StepVersion {
 public:
  StepVersion(std::string its_words, std::string its_part)
      : words(std::move(its_words)), part(std::move(its_part)) {}
  template <class Part>
  StepVersion(std::string its_words, std::string its_part, const std::vector<Part>& parts)
      : StepVersion(std::move(its_words), std::move(its_part)) {
    for (const Part& one : parts) add(one.name);
  }

  std::string words;  // eg: "version 2", "'change' of version 2"
  std::string part;   // what the names denote: "method", "field", "struct", "enum" or "value"

  void add(const std::string& name);
  bool has(const std::string& name) const { return index_.contains(name); }
  /// Returns the number of names before this one; nothing if it is unknown.
  std::optional<std::size_t> find(const std::string& name) const;
  /// Returns the names in the order of `add`.
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_{};
  std::unordered_map<std::string, std::size_t> index_{};
};

/// Reports that a version has no part of this name.
void add_unknown_part(const std::string& name, const SourceLocation& location,
                      const StepVersion& version, Diagnostics& diagnostics);

/// The structs, enums or values of a step that were renamed or split.
class Renames {
 public:
  /// `splits`: several parts of the newer version may come from one of the older.
  Renames(const StepVersion& older, const StepVersion& newer, bool splits, Diagnostics& diagnostics)
      : older_(older), newer_(newer), splits_(splits), diagnostics_(diagnostics) {}

  /// Adds `"renamed_from": value` of `name`. Reports it unless only the older version has the part
  /// that `value` names, and only the newer one has `name`.
  void add(const std::string& name, const JsonValue& value);
  /// Adds `"split_from": value` of `name`. Several parts of the newer version may come from the
  /// part that `value` names.
  void add_split(const std::string& name, const JsonValue& value);
  /// Reports parts that were split into one part only. Call it after the last entry.
  void check_splits();
  bool contains(const std::string& older) const { return renamed_.count(older) != 0; }

 private:
  const StepVersion& older_;
  struct Split {
    std::string name;
    std::string older;
    SourceLocation location;
  };

  /// Returns the string if it names a part of the older version. Otherwise reports it and returns
  /// "".
  std::string older_name(const JsonValue& value, const char* key);
  void check_new(const std::string& name, const SourceLocation& location);

  const StepVersion& newer_;
  const bool splits_;
  Diagnostics& diagnostics_;
  std::set<std::string> renamed_{};
  std::vector<Split> split_{};
};

/// Returns the entries under a key; nullptr if there are none. Reports a value that is not an
/// object, and, as changes of `owner`, an empty one.
const JsonValue* entries_under(const JsonValue* value, const std::string& key,
                               const std::string& owner, Diagnostics& diagnostics);

/// Reports an entry without keys. Returns whether it has none.
bool reject_empty(const JsonMember& entry, Diagnostics& diagnostics);

/// Reports an entry that has both keys, with the remedy to remove `other`. Returns whether it has.
bool reject_both(const JsonMember& entry, const std::string& key, const std::string& other,
                 Diagnostics& diagnostics);

/// Reports a difference that evolution.json does not explain.
void add_unexplained(const SourceLocation& location, const std::string& message,
                     const std::string& fix, Diagnostics& diagnostics);

/// Reports metadata that explains no difference.
void add_unused(const SourceLocation& location, const std::string& message, const std::string& fix,
                Diagnostics& diagnostics);

/// Reports metadata that contradicts other metadata.
void add_contradiction(const SourceLocation& location, const std::string& message,
                       const std::string& fix, Diagnostics& diagnostics);

}  // namespace tenon::gen
