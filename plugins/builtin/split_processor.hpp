// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/split: a processor that makes a record of each element of a list.
#pragma once

#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/record_processor.hpp>

#include <string>

#include "nested_fields.hpp"

namespace tenon::builtin {

struct SplitSettings {
  std::string field;
};

inline constexpr auto split_parameters = sdk::parameters(
    sdk::parameter(&SplitSettings::field, "field",
                   "the field with the list, by its name or its JSON Pointer such as /data/items")
        .required());

/// Each part has the payload of the record with one element in place of the list, the payload after
/// the change, or the one before it if there is no other. The key of a part is that of the record
/// with a slash and the index of the element. A record without the field is passed on unchanged,
/// and one with an empty list has no parts.
class SplitProcessor : public sdk::RecordProcessor {
 public:
  void configure(const sdk::Config& config) override;
  void process_record(RecordV2View record, Records& into) override;

 private:
  FieldPath field_;
};

}  // namespace tenon::builtin
