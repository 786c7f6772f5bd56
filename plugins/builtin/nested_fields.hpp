// SPDX-License-Identifier: BSL-1.0
//
// Fields inside the fields of a JSON object. A JSON Pointer (RFC 6901) names them: "/address/city",
// "/items/0/price". In a name `~1` is `/`, and `~0` is `~`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// The names and indexes on the way to a field, which is the last of them.
class FieldPath {
 public:
  /// Returns whether a text is a path, and not the name of a field.
  static bool is_path(std::string_view text) noexcept { return !text.empty() && text[0] == '/'; }

  FieldPath() = default;  // of nothing
  /// Reads a JSON Pointer, or the name of a field at the top. Throws sdk::Failure.
  explicit FieldPath(std::string_view field);

  const std::string& text() const noexcept { return text_; }
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::string text_;
  std::vector<std::string> names_;
};

/// Returns the value of a field in a valid JSON object as it is written; nothing if it is absent.
std::optional<std::string_view> find_field(std::string_view json, const FieldPath& path);

/// The functions change `json`, which must be a valid JSON object, and keep the text of all other
/// fields. The first two return whether the field was there.
bool remove_field(std::string& json, const FieldPath& path);

/// Gives the field another name in its object. Throws sdk::Refusal if the object has that name.
bool rename_field(std::string& json, const FieldPath& path, std::string_view name);

/// Sets the field to a JSON value. Objects on the way that are missing are added. Throws
/// sdk::Refusal if something on the way is neither an object nor an element of a list.
void set_field(std::string& json, const FieldPath& path, std::string_view value);

}  // namespace tenon::builtin
