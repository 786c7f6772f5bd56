// SPDX-License-Identifier: BSL-1.0
//
// The common part of the evolution of kinds and of document types: steps, names and diagnostics.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gen/common.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// Returns the steps of `directory.evolution` by the version that they lead to. Reports missing and
/// duplicate steps, and steps that are not between neighbours. `key` is "kind" or "type"; `keys`
/// are the keys of a step besides from, to and notes.
std::map<VersionName, ObjectReader> find_steps(const SpecDirectory& directory,
                                               const std::string& key, const std::string& id,
                                               std::vector<std::string> keys,
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

/// Returns `value`, which contains entries under the key `key`; nullptr if it is not an object.
/// Reports such a value, unless it is nullptr, and an object without changes of `owner`.
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
