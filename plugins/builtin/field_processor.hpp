// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/field: a processor that removes, renames and sets fields of payloads that are JSON
// objects.
#pragma once

#include <tenon/sdk/record_processor.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json_members.hpp"
#include "nested_fields.hpp"

namespace tenon::builtin {

/// Changes the payloads `before` and `after` of a record, if present, but not its key and metadata.
/// `drop` and `rename` refer to the field names in the record. Then `set` changes or adds fields.
/// A name that begins with a slash is the path of a field inside others; see nested_fields.hpp.
/// All other fields keep their order and text. A payload need not have the fields, but `teardown`
/// logs a warning for each one that no payload had.
class FieldProcessor : public sdk::RecordProcessor {
 public:
  void configure(const sdk::Config& config) override;
  void process_record(RecordV2View record, Records& into) override;
  void teardown() override;

 private:
  struct Name {
    std::string name;
    std::string key;  // as JSON
    bool found = false;
  };
  struct Value {
    std::string key;   // as JSON
    std::string rest;  // see JsonMembers::Member::rest
  };

  struct NestedChange {
    FieldPath path;
    std::string text;  // the new name, or the value as JSON
    bool found = false;
  };

  static Value value_of(std::string_view field, std::string_view value);
  void add_rename(std::string_view field, const std::string& name);
  void add_value(std::string_view field, const std::string& value);
  void check() const;
  void change(tenon_bytes& image, Records& into);
  std::string_view change_nested(std::string_view payload);
  bool apply();
  void check_names() const;
  void write();

  std::map<std::string, bool, std::less<>> dropped_;  // whether a payload had the field
  std::map<std::string, Name, std::less<>> renamed_;
  std::map<std::string, Value, std::less<>> set_;
  std::vector<NestedChange> nested_dropped_;
  std::vector<NestedChange> nested_renamed_;
  std::vector<NestedChange> nested_set_;
  bool any_payload_ = false;

  // For the current record.
  std::string nested_;  // the payload without nested fields that are removed
  JsonMembers members_;
  std::vector<JsonMembers::Member> kept_;
  std::vector<std::string_view> names_;  // names of kept_, sorted
  std::string text_;
};

}  // namespace tenon::builtin
