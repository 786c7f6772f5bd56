// SPDX-License-Identifier: BSL-1.0
//
// redact.cpp: a plugin in C++ with the SDK, as an example. It is a backup item action of version 1
// that removes data that does not belong in a backup:
//
//   - `status` and `metadata.managedFields`, which the cluster generates
//   - the values of secrets, unless `secrets` is "keep": the values become empty, and the
//     annotation with the copy of the whole secret by `kubectl apply` is removed
//
// Everything else keeps its text, such as that of large numbers.
//
// A backup with redacted secrets shows their names and keys. The values must be filled in after a
// restore.
#include <tenon/sdk/backup_item_action.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

using boost::json::value;
using tenon::sdk::Failure;

constexpr std::size_t max_levels = 256;  // schemas in custom resource definitions are deep

constexpr std::string_view blanks = " \t\r\n";

bool is_secret(std::string_view item) {
  boost::json::parse_options options;
  options.max_depth = max_levels;
  boost::system::error_code error;
  boost::json::monotonic_resource memory;  // frees all values at once
  const value parsed = boost::json::parse({item.data(), item.size()}, error, &memory, options);
  if (error || !parsed.is_object()) {
    throw Failure(TENON_INVALID_ARGUMENT, "the item is not a JSON object");
  }
  const value* kind = parsed.get_object().if_contains("kind");
  return kind != nullptr && *kind == "Secret";
}

// The functions below work on the text of valid JSON. Boost.JSON would round large numbers and
// write others differently.

/// Returns the end of the value at `at`.
std::size_t end_of_value(std::string_view json, std::size_t at) {
  int level = 0;
  do {
    const char c = json[at++];
    if (c == '"') {
      for (; json[at] != '"'; ++at) {
        if (json[at] == '\\') ++at;
      }
      ++at;
    } else if (c == '{' || c == '[') {
      ++level;
    } else if (c == '}' || c == ']') {
      --level;
    } else if (level == 0) {
      at = std::min(json.find_first_of(",]} \t\r\n", at), json.size());
    }
  } while (level > 0);
  return at;
}

bool is_object(std::string_view json) {
  return json.front() == '{';
}

/// Returns an object without the members for whose names and values `edit` returns nothing, and
/// with its result in the place of other values.
template <class Edit>
std::string edited(std::string_view json, Edit edit) {
  std::string result = "{";
  std::size_t at = json.find('{') + 1;
  while (json[at = json.find_first_not_of(blanks, at)] != '}') {
    if (json[at] == ',') at = json.find_first_not_of(blanks, at + 1);
    const std::string_view name = json.substr(at, end_of_value(json, at) - at);
    at = json.find_first_not_of(blanks, json.find(':', at + name.size()) + 1);
    const std::string_view text = json.substr(at, end_of_value(json, at) - at);
    at += text.size();
    const auto parsed_name = boost::json::parse({name.data(), name.size()});
    const boost::json::string& plain = parsed_name.get_string();
    const std::optional<std::string> kept =
        edit(std::string_view(plain.data(), plain.size()), text);
    if (!kept) continue;
    if (result.size() > 1) result += ',';
    result.append(name).append(":").append(*kept);
  }
  return result + '}';
}

/// Returns an item without the parts that do not belong in a backup.
class Redaction {
 public:
  explicit Redaction(bool redacts_secret) : redacts_secret_(redacts_secret) {}

  /// Returns nothing if the item has no such part.
  std::optional<std::string> of(std::string_view item) {
    std::string result = edited(item, [&](std::string_view name, std::string_view text) {
      if (name == "status") return remove();
      if (!is_object(text)) return keep(text);
      if (name == "metadata") return keep(metadata(text));
      const bool has_values = name == "data" || name == "stringData";
      return keep(redacts_secret_ && has_values ? without_values(text) : std::string(text));
    });
    return changed_ ? std::optional(std::move(result)) : std::nullopt;
  }

 private:
  using Kept = std::optional<std::string>;

  static Kept keep(std::string_view text) { return std::string(text); }
  Kept remove() {
    changed_ = true;
    return std::nullopt;
  }

  std::string metadata(std::string_view json) {
    return edited(json, [&](std::string_view name, std::string_view text) {
      if (name == "managedFields") return remove();
      const bool is_redacted = redacts_secret_ && name == "annotations" && is_object(text);
      return keep(is_redacted ? annotations(text) : std::string(text));
    });
  }

  std::string annotations(std::string_view json) {
    return edited(json, [&](std::string_view name, std::string_view text) {
      return name == "kubectl.kubernetes.io/last-applied-configuration" ? remove() : keep(text);
    });
  }

  std::string without_values(std::string_view json) {
    return edited(json, [&](std::string_view, std::string_view) {
      changed_ = true;
      return keep("\"\"");
    });
  }

  const bool redacts_secret_;
  bool changed_ = false;
};

class Redact : public tenon::sdk::BackupItemActionV1 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    const std::string secrets = config.get("secrets", "redact");
    if (secrets != "redact" && secrets != "keep") {
      throw Failure(TENON_INVALID_ARGUMENT, "parameter \"secrets\" is \"", secrets,
                    "\", expected redact or keep");
    }
    keeps_secrets_ = secrets == "keep";
  }

  /// Selects all resources.
  tenon::SelectorV1 applies_to() override { return {}; }

  // May run on several threads: only reads the members that configure wrote.
  ExecuteResult execute(std::string_view item, tenon::BackupV1View /*backup*/) override {
    const bool redacts_secret = is_secret(item) && !keeps_secrets_;
    ExecuteResult result;  // without an item: unchanged
    if (auto text = Redaction(redacts_secret).of(item)) result.item = tenon::Json{*std::move(text)};
    return result;
  }

 private:
  bool keeps_secrets_ = false;
};

}  // namespace

TENON_PLUGIN(Redact, "example.io/redact", "1.0.0",
             {"summary": "Removes secrets and generated fields from backups"});
