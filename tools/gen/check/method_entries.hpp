// SPDX-License-Identifier: BSL-1.0
//
// Reads the metadata of methods between two neighbouring versions of a kind.
#pragma once

#include "gen/check/evolution_steps.hpp"
#include "gen/model/model.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>

namespace tenon::gen {

/// A method that was removed before the older version of a step.
struct RemovedMethod {
  const Method* method;
  std::size_t back;  // distance from the newer version of the step to the one that has it
};

/// The entries of a step, which pair the methods of both versions.
class MethodEntries {
 public:
  /// `kind` already has the earlier steps.
  MethodEntries(const Kind& kind, const KindStep& step, Diagnostics& diagnostics);

  /// Reads the object "methods". Reports entries that explain nothing or are contradictory.
  void read(const JsonValue& entries);

  /// Returns the value of a key in the entry of a method; nullptr if there is none.
  const JsonValue* value_of(const std::string& method, const char* key) const;
  bool has_key(const std::string& method, const char* key) const {
    return value_of(method, key) != nullptr;
  }
  bool contains(const std::string& method) const { return entries_.contains(method); }

  /// Returns the older method that corresponds to this newer one; nullptr if the method is new.
  const Method* continued(const Method& method) const;
  /// Returns the newer name of a renamed older method; nullptr if it was not renamed.
  const std::string* renamed(const std::string& older) const;
  /// Whether the older method of this name is not the newer method of this name.
  bool loses_name(const std::string& name) const;
  /// Returns the newest method of this name that was removed before the older version; nothing if
  /// there is none, or if plugins that have it cannot be adapted.
  std::optional<RemovedMethod> find_removed(const std::string& name) const;

  const StepVersion& older() const noexcept { return older_; }
  const StepVersion& newer() const noexcept { return newer_; }

 private:
  void check_entry(const JsonMember& member);
  void check_removed(const JsonMember& member);
  void check_added(const JsonMember& member);
  void reject_combination(const JsonMember& member, const std::string& key,
                          std::initializer_list<const char*> others);

  const Kind& kind_;
  const KindStep& step_;
  Diagnostics& diagnostics_;
  StepVersion older_;
  StepVersion newer_;
  std::unordered_map<std::string, const JsonValue*> entries_{};
  NewNames renamed_{};
};

}  // namespace tenon::gen
