// SPDX-License-Identifier: BSL-1.0
//
// What evolution.json says of the methods between two neighbouring versions of a kind.
#pragma once

#include "gen/check/evolution_steps.hpp"
#include "gen/model/model.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>

namespace tenon::gen {

/// A method that ended before the older version of a step.
struct EndedMethod {
  const Method* method;
  std::size_t back;  // how many versions before the newer one of the step has it
};

/// The entries of a step: which method goes on under which name.
class MethodEntries {
 public:
  /// `kind` has the steps before this one.
  MethodEntries(const Kind& kind, const KindStep& step, Findings& findings);

  /// Reads the object under "methods". Entries that explain nothing or contradict themselves are
  /// findings.
  void read(const JsonValue& entries);

  /// What the entry of a method has under a key; nullptr where there is nothing.
  const JsonValue* said(const std::string& method, const char* key) const;
  bool says(const std::string& method, const char* key) const {
    return said(method, key) != nullptr;
  }
  bool contains(const std::string& method) const { return entries_.contains(method); }

  /// The method of the older version that one of the newer version goes on; nullptr where there is
  /// none.
  const Method* continued(const Method& method) const;
  /// The newer name of a method of the older version that was renamed; nullptr where it was not.
  const std::string* renamed(const std::string& older) const;
  /// Whether a method of the older version leaves its name, to another one or to none.
  bool gives_name(const std::string& name) const;
  /// The newest method of that name that ended before the older version; nothing where none did, or
  /// where plugins that have it cannot be adapted.
  std::optional<EndedMethod> ended(const std::string& name) const;

  const StepVersion& older() const noexcept { return older_; }
  const StepVersion& newer() const noexcept { return newer_; }

 private:
  void check_entry(const JsonMember& member);
  void check_removed(const JsonMember& member);
  void check_added(const JsonMember& member);
  void refuse_beside(const JsonMember& member, const std::string& key,
                     std::initializer_list<const char*> others);

  const Kind& kind_;
  const KindStep& step_;
  Findings& findings_;
  StepVersion older_;
  StepVersion newer_;
  std::unordered_map<std::string, const JsonValue*> entries_{};
  NewNames renamed_{};
};

}  // namespace tenon::gen
