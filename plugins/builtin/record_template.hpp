// SPDX-License-Identifier: BSL-1.0
//
// Records as text by a template: "{operation} {key}: {/user/name}".
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nested_fields.hpp"

namespace tenon::builtin {

inline constexpr const char* template_description =
    "the text of a record for the format template: {/user/name} is a field of the payload, and "
    "{payload}, {operation}, {key} and {metadata.NAME} are other parts; {{ is a bracket";

class RecordTemplate {
 public:
  /// Reads a template. `{/user/name}` is a field of the payload by its JSON Pointer, `{payload}`
  /// the whole payload, and `{operation}`, `{key}` and `{metadata.NAME}` are other parts of the
  /// record. `{{` is a bracket. Throws sdk::Failure.
  /// `parameter` is the name of the parameter with the template, for messages.
  explicit RecordTemplate(std::string_view text, std::string_view parameter = "template");

  /// Returns the template for the parameters `format` and `template`; nothing for a format other
  /// than "raw" and "template". Throws sdk::Failure.
  static std::optional<RecordTemplate> of(const sdk::Config& config);

  /// Returns the text if it is the same for all records.
  const std::optional<std::string>& constant() const noexcept { return constant_; }

  /// Appends the text for a record. The payload is the one after the change, or the one before it
  /// if there is no other. Parts that the record does not have are empty.
  void append(std::string& text, RecordV2View record) const;

 private:
  struct Part {
    enum class Sort : std::uint8_t { text, field, payload, operation, key, metadata };

    Sort sort;
    std::string text;  // or the name in the metadata
    FieldPath field;
  };

  static Part part_of(std::string_view name, std::string_view parameter);

  std::vector<Part> parts_;
  std::optional<std::string> constant_{std::in_place};
};

}  // namespace tenon::builtin
