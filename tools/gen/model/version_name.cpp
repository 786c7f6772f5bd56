// SPDX-License-Identifier: BSL-1.0
#include "gen/model/version_name.hpp"

#include <charconv>

namespace tenon::gen {
namespace {

constexpr std::string_view preview_word = "preview";
constexpr std::size_t most_digits = 6;

/// Parses a number from 1 without leading zeros. Returns 0 for other texts.
int parse_count(std::string_view digits) noexcept {
  const bool valid = !digits.empty() && digits.size() <= most_digits && digits[0] != '0' &&
                     digits.find_first_not_of("0123456789") == std::string_view::npos;
  int count = 0;
  if (valid) std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

}  // namespace

std::string VersionName::label() const {
  const std::string text = std::to_string(number);
  return preview == 0 ? text : text + std::string(preview_word) + std::to_string(preview);
}

std::string VersionName::json() const {
  return preview == 0 ? label() : "\"" + label() + "\"";
}

std::optional<VersionName> parse_version(std::string_view label) noexcept {
  const std::size_t end = label.find(preview_word);
  const bool is_preview = end != std::string_view::npos;
  VersionName version{parse_count(label.substr(0, end)), 0};
  if (is_preview) version.preview = parse_count(label.substr(end + preview_word.size()));
  if (version.number == 0 || (is_preview && version.preview == 0)) return std::nullopt;
  return version;
}

std::optional<VersionName> read_version(const JsonValue& value, const std::string& subject,
                                        Diagnostics& diagnostics) {
  std::optional<VersionName> version;
  if (const std::int64_t* number = value.as<std::int64_t>()) {
    version = parse_version(std::to_string(*number));
  } else if (value.text() != nullptr) {
    version = parse_version(*value.text());
    if (version && version->preview == 0) version.reset();  // must not have quotes
  }
  if (!version) {
    add_wrong_type(value, subject, "an integer from 1, or a preview such as \"3preview1\"",
                   diagnostics);
  }
  return version;
}

std::optional<VersionName> neighbour_of(const VersionName& version,
                                        const std::vector<VersionName>& versions) noexcept {
  std::optional<VersionName> before;
  std::optional<VersionName> release;
  for (const VersionName& other : versions) {
    if (!(other < version)) break;
    before = other;
    if (other.preview == 0) release = other;
  }
  const bool continues = version.preview != 0 && before && before->number == version.number;
  return continues || !release ? before : release;
}

}  // namespace tenon::gen
