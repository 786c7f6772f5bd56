// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/decode: a processor that decodes payloads, or a field of them, from JSON or base64.
#pragma once

#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/record_processor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nested_fields.hpp"

namespace tenon::builtin {

struct DecodeSettings {
  enum class Format : std::uint8_t { json, base64 };

  Format format = Format::json;
  std::string field;
};

inline constexpr sdk::Word<DecodeSettings::Format> decode_formats[] = {
    {"json", DecodeSettings::Format::json}, {"base64", DecodeSettings::Format::base64}};
inline constexpr auto decode_parameters = sdk::parameters(
    sdk::parameter(&DecodeSettings::format, "format",
                   "json: a JSON string is replaced by the JSON that it contains; base64: a "
                   "text is replaced by what it encodes")
        .required()
        .one_of(decode_formats),
    sdk::parameter(&DecodeSettings::field, "field",
                   "the field to decode, by its name or its JSON Pointer such as /data/body; by "
                   "default the payload"));

/// Changes the payloads `before` and `after` of a record, if present. A payload without the field
/// is passed on unchanged.
class DecodeProcessor : public sdk::RecordProcessor {
 public:
  void configure(const sdk::Config& config) override;
  void process_record(RecordV2View record, Records& into) override;

 private:
  void decode(tenon_bytes& image, Records& into) const;
  std::string decoded_field(std::string_view value) const;

  DecodeSettings settings_;
  std::optional<FieldPath> field_;  // nothing: the payload
};

}  // namespace tenon::builtin
