// SPDX-License-Identifier: BSL-1.0
#include "common/setting_value.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/plain_text.hpp"
#include "common/hidden_values.hpp"
#include "common/text_file.hpp"
#include "platform/utf8_path.hpp"

namespace tenon::tools {
namespace {

constexpr std::string_view begin_reference = "${";
constexpr std::string_view escaped_opening = "$${";
constexpr std::string_view begin_file = "${file:";

/// What a value belongs to.
struct Place {
  const std::string& key;
  const SourceLocation& location;
};

bool is_variable_name(std::string_view name) {
  const auto is_part = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_part);
}

/// Returns the value of the variable in `${NAME}`.
std::string value_of_variable(std::string_view reference, const Place& place,
                              Diagnostics& diagnostics) {
  const std::string name(reference.substr(2, reference.size() - 3));
  if (reference.back() != '}' || !is_variable_name(name)) {
    diagnostics.add({.location = place.location,
                     .code = "wrong-reference",
                     .message = "the value of '" + place.key + "' has a wrong reference",
                     .found = std::string(reference),
                     .needed = "${NAME}, with letters, digits and '_', for a variable",
                     .fix = "correct the name, or write '$${' for the characters '${'"});
    return {};
  }
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) {
    diagnostics.add({.location = place.location,
                     .code = "unset-variable",
                     .message = "the value of '" + place.key + "' needs the variable '" + name +
                                "', which is not set",
                     .needed = "'" + name + "' in the environment of this program",
                     .fix = "set it, or write '$${' for the characters '${'"});
    return {};
  }
  hide_value(trimmed_lines(value), reference);
  return value;
}

std::string with_variables(std::string_view text, const Place& place, Diagnostics& diagnostics) {
  std::string value;
  while (!text.empty()) {
    std::size_t size = 1;
    if (text.starts_with(escaped_opening)) {
      size = escaped_opening.size();
      value += begin_reference;
    } else if (text.starts_with(begin_reference)) {
      size = std::min(text.find('}'), text.size() - 1) + 1;
      value += value_of_variable(text.substr(0, size), place, diagnostics);
    } else {
      value += text[0];
    }
    text.remove_prefix(size);
  }
  return value;
}

std::optional<std::string> content_of(const std::filesystem::path& path, std::string_view written,
                                      const Place& place, Diagnostics& diagnostics) {
  FileContent file = read_file(path);
  if (!file.text) {
    const Diagnostic refused = cannot_read(path, "reading the file", file.error);
    diagnostics.add({.location = place.location,
                     .code = "cannot-read",
                     .message = "the file with the value of '" + place.key + "' cannot be read",
                     .found = std::string(written) + ": " + refused.found,
                     .needed = refused.needed,
                     .fix = refused.fix});
    return std::nullopt;
  }
  if (file.text->find('\0') != std::string::npos || tenon::valid_utf8(*file.text) != *file.text) {
    diagnostics.add({.location = place.location,
                     .code = "wrong-value",
                     .message = "the file with the value of '" + place.key + "' is not text",
                     .found = std::string(written),
                     .needed = "UTF-8 without NUL characters",
                     .fix = "specify another file"});
    return std::nullopt;
  }
  std::string content(trimmed_lines(*file.text));
  hide_value(content, std::string(begin_file) + std::string(written) + "}");
  return content;
}

/// Reads {"file": "PATH"}.
SettingValue read_file_value(const JsonValue& path, const Place& place, Diagnostics& diagnostics) {
  const std::filesystem::path directory =
      std::filesystem::absolute(platform::path_from(place.location.file)).parent_path();
  const std::string& written = *path.text();
  const std::filesystem::path named =
      platform::path_from(with_variables(written, place, diagnostics));
  if (named.empty()) return {};
  auto content = content_of(directory / named, written, place, diagnostics);
  if (!content) return {};
  const std::string prefix = named.is_absolute() ? "" : written_of_value(directory.string() + "/");
  return {*std::move(content), std::string(begin_file) + prefix + written + "}"};
}

}  // namespace

SettingValue read_setting_value(const JsonValue& value, const std::string& key,
                                Diagnostics& diagnostics) {
  const Place place{key, value.location};
  if (const std::string* text = value.text()) {
    const std::string_view written = trimmed_lines(*text);
    return {std::string(trimmed_lines(with_variables(written, place, diagnostics))),
            std::string(written)};
  }
  const JsonValue* file = value.find("file");
  if (file != nullptr && file->text() != nullptr && !file->text()->empty() &&
      value.object()->size() == 1) {
    return read_file_value(*file, place, diagnostics);
  }
  diagnostics.add({.location = value.location,
                   .code = "wrong-type",
                   .message = "the value of '" + key + "' has the wrong type",
                   .found = std::string(type_name(value)),
                   .needed = "a string: every value of a config is one, or {\"file\": \"PATH\"}",
                   .fix = "put it in quotes"});
  return {};
}

std::string value_of_written(std::string_view written, const std::string& key,
                             const SourceLocation& location, Diagnostics& diagnostics) {
  const Place place{key, location};
  if (!written.starts_with(begin_file) || !written.ends_with('}')) {
    return std::string(trimmed_lines(with_variables(written, place, diagnostics)));
  }
  written.remove_prefix(begin_file.size());
  written.remove_suffix(1);
  const std::string path = with_variables(written, place, diagnostics);
  if (path.empty()) return {};
  return content_of(platform::path_from(path), written, place, diagnostics).value_or("");
}

std::string written_of_value(std::string_view value) {
  std::string written;
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value.substr(at).starts_with(begin_reference)) written += '$';
    written += value[at];
  }
  return written;
}

}  // namespace tenon::tools
