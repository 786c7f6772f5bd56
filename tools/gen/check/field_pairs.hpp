// SPDX-License-Identifier: BSL-1.0
//
// Pairs the fields of an older and a newer version.
#pragma once

#include "gen/check/evolution_steps.hpp"
#include "gen/model/model.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::gen {

/// The fields of two versions of a message, document or struct, and their entries in
/// evolution.json. Each look-up takes constant time.
class FieldPairs {
 public:
  /// `entries` is an object whose keys are names of fields; nullptr: none.
  FieldPairs(const std::vector<Field>& older, const std::vector<Field>& newer,
             const JsonValue* entries);

  /// The renamed fields. Fill it with read_rename before calling `continued`.
  NewNames renamed{};

  bool has_entry(const std::string& name) const { return entries_.contains(name); }
  /// Returns the value of a key in the entry of a field; nullptr if there is none.
  const JsonValue* value_of(const std::string& name, std::string_view key) const;
  bool has_key(const std::string& name, std::string_view key) const {
    return value_of(name, key) != nullptr;
  }

  /// Returns the field of this name in one version; nullptr if there is none.
  const Field* older(const std::string& name) const;
  const Field* newer(const std::string& name) const;

  /// Whether the entry states that both versions have a different field of this name.
  bool is_replaced(const std::string& name) const;
  /// Returns the older field that corresponds to this newer one; nullptr if the field is new.
  const Field* continued(const Field& newer) const;

 private:
  using Fields = std::unordered_map<std::string, const Field*>;
  static const Field* find(const Fields& fields, const std::string& name);

  Fields older_{};
  Fields newer_{};
  std::unordered_map<std::string, const JsonValue*> entries_{};
};

}  // namespace tenon::gen
