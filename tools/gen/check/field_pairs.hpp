// SPDX-License-Identifier: BSL-1.0
//
// Which field of an older version continues as which field of a newer one.
#pragma once

#include "gen/check/evolution_steps.hpp"
#include "gen/model/model.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::gen {

/// The fields of two versions of a message, document or struct, and the entries of evolution.json
/// about them. Each look-up takes constant time.
class FieldPairs {
 public:
  /// `entries`: an object, by names of fields; nullptr where there is none.
  FieldPairs(const std::vector<Field>& older, const std::vector<Field>& newer,
             const JsonValue* entries);

  /// The new names of fields that were renamed. To be filled by read_rename, before `continued` is
  /// called.
  NewNames renamed{};

  bool has_entry(const std::string& name) const { return entries_.contains(name); }
  /// What the entry of a field says under a key; nullptr: nothing.
  const JsonValue* said(const std::string& name, std::string_view key) const;
  bool says(const std::string& name, std::string_view key) const {
    return said(name, key) != nullptr;
  }

  /// The field of this name in one version; nullptr: the version has none.
  const Field* older(const std::string& name) const;
  const Field* newer(const std::string& name) const;

  /// Whether both versions have a field of this name, and the two are different fields.
  bool is_replaced(const std::string& name) const;
  /// The older field that continues as this newer one; nullptr: the field is new.
  const Field* continued(const Field& newer) const;

 private:
  using Fields = std::unordered_map<std::string, const Field*>;
  static const Field* find(const Fields& fields, const std::string& name);

  Fields older_{};
  Fields newer_{};
  std::unordered_map<std::string, const JsonValue*> entries_{};
};

}  // namespace tenon::gen
