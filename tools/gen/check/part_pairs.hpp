// SPDX-License-Identifier: BSL-1.0
//
// Pairs the methods or the fields of two versions by their entries in evolution.json, and checks
// that the entries explain which of them are new, removed or renamed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gen/check/evolution_steps.hpp"

namespace tenon::gen {

/// Two versions to compare, and the form of their entries.
struct Comparison {
  StepVersion older;
  StepVersion newer;
  const JsonValue* entries;  // the object of the entries, by name; nullptr: none
  SourceLocation location;   // of that object, or of the object that should contain it
  std::string place;         // of the entries, for remedies, eg: "the \"fields\" of the step"
  /// The keys of an entry besides "added", "removed" and "renamed_from".
  std::vector<std::string> keys{};
  /// The keys whose only value is true.
  std::vector<std::string> flags{};
  /// Keys that exclude each other. The remedy is to remove the second one.
  std::vector<std::pair<std::string, std::string>> exclusive{};
  /// For remedies: the value of "added" or "removed" if it is not true.
  std::string value = "<value>";
  /// For remedies: the entries of a new part besides "added".
  std::string alternatives = "{\"renamed_from\": \"...\"}";
  /// New parts that have the name of one that was removed before the older version.
  std::unordered_set<std::string> returning{};
};

/// The parts of two versions, which are methods or fields. Each look-up takes constant time.
class PartPairs {
 public:
  /// Reads the entries. Reports those that explain nothing or are contradictory.
  PartPairs(Comparison comparison, Diagnostics& diagnostics);

  const StepVersion& older() const noexcept { return compared_.older; }
  const StepVersion& newer() const noexcept { return compared_.newer; }
  const std::string& place() const noexcept { return compared_.place; }

  /// Returns the entries that the constructor has not reported.
  std::vector<const JsonMember*> valid_entries() const;
  /// Returns the value of a key in the entry of a part; nullptr if there is none.
  const JsonValue* value_of(const std::string& name, std::string_view key) const;
  bool has_key(const std::string& name, std::string_view key) const {
    return value_of(name, key) != nullptr;
  }

  /// Returns the index of the older part that corresponds to this newer one; nothing if it is new.
  std::optional<std::size_t> continued(const std::string& newer) const;
  /// Returns whether no newer part corresponds to this older one.
  bool ends(const std::string& older) const;

  /// Returns the remedy that gives the entry of a part this key, without the verb.
  std::string to_add(const std::string& name, const std::string& key) const;

  /// Reports a new part without an entry.
  void check_new(const std::string& newer, const SourceLocation& location) const;
  /// Reports a removed part without an entry.
  void check_removed(const std::string& older) const;
  /// Reports a key of an entry that explains no difference.
  void add_unused_key(const JsonMember& entry, const std::string& key);
  /// Reports two keys if the entry has both. The remedy is to remove `other`.
  void reject(const JsonMember& entry, const std::string& key, const std::string& other);

 private:
  void check_keys(const JsonMember& entry);
  void read_rename(const JsonMember& entry);
  void check_use(const JsonMember& entry);
  bool explains_removed(const std::string& name) const;
  /// Returns whether this name denotes different parts in the two versions: the older one was
  /// renamed or removed, or the newer one had another name.
  bool loses_name(const std::string& name) const;
  /// Returns a key and its value, for remedies.
  std::string key_text(const std::string& key) const;
  std::string entry_text(const std::string& name, const std::string& key) const;

  const Comparison compared_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, const JsonMember*> entries_{};
  std::unordered_map<std::string, std::string> renamed_{};  // older to newer names
  /// The names whose entries are reported. Their parts are not reported again.
  std::unordered_set<std::string> reported_{};
};

}  // namespace tenon::gen
