// SPDX-License-Identifier: BSL-1.0
#include "settings.hpp"

#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "common/text_file.hpp"

#include <tenon/sdk/config.hpp>

#include <string_view>

namespace backup {
namespace {

using tenon::tools::JsonValue;
using tenon::tools::ObjectReader;

std::vector<PluginUse> read_uses(const ObjectReader& settings, std::string_view key,
                                 const std::string& what, Diagnostics& findings) {
  std::vector<PluginUse> uses;
  const JsonValue::Array* values = settings.optional_array(key);
  if (values == nullptr) return uses;
  for (const JsonValue& value : *values) {
    uses.push_back(tenon::tools::read_plugin_use(value, what, findings));
  }
  return uses;
}

void read_timeout(const ObjectReader& timeouts, std::string_view key,
                  std::chrono::nanoseconds& timeout, Diagnostics& findings) {
  using Parameter = tenon::sdk::Parameter<tenon::Duration>;
  const JsonValue* value = timeouts.optional(key);
  if (value == nullptr) return;
  const std::string* text = value->text();
  const auto duration = text != nullptr ? Parameter::parse(*text) : std::nullopt;
  if (duration && *duration > tenon::Duration::zero()) {
    timeout = *duration;
    return;
  }
  findings.add({.location = value->location,
                .code = "wrong-value",
                .message = "the timeout '" + std::string(key) + "' is invalid",
                .found = to_json(*value),
                .needed = Parameter::expected() + ", longer than 0",
                .fix = "change the value"});
}

Timeouts read_timeouts(const ObjectReader& settings, Diagnostics& findings) {
  Timeouts timeouts;
  const JsonValue* value = settings.optional("timeouts");
  if (value == nullptr) return timeouts;
  const ObjectReader object(*value, "timeouts", {"call", "store", "operation", "ready", "poll"},
                            findings);
  read_timeout(object, "call", timeouts.call, findings);
  read_timeout(object, "store", timeouts.store, findings);
  read_timeout(object, "operation", timeouts.operation, findings);
  read_timeout(object, "ready", timeouts.ready, findings);
  read_timeout(object, "poll", timeouts.poll, findings);
  return timeouts;
}

}  // namespace

std::optional<Settings> read_settings(const std::filesystem::path& path, Diagnostics& findings) {
  const auto text = tenon::tools::read_text_file(path, findings);
  if (!text) return std::nullopt;
  const auto value = tenon::tools::read_json(*text, path.string(), findings);
  if (!value) return std::nullopt;

  const ObjectReader object(*value, "a configuration",
                            {"store", "bucket", "snapshotters", "backup_actions", "restore_actions",
                             "delete_actions", "compression", "timeouts"},
                            findings);
  Settings settings;
  if (const JsonValue* store = object.required("store")) {
    settings.store = tenon::tools::read_plugin_use(*store, "a store", findings);
  }
  if (object.optional("bucket") != nullptr) settings.bucket = object.text("bucket");
  settings.snapshotters = read_uses(object, "snapshotters", "a snapshotter", findings);
  settings.backup_actions = read_uses(object, "backup_actions", "a backup action", findings);
  settings.restore_actions = read_uses(object, "restore_actions", "a restore action", findings);
  settings.delete_actions = read_uses(object, "delete_actions", "a delete action", findings);
  if (object.optional_word("compression", {"gzip", "zstd"}) == "zstd") {
    settings.compression = Compression::zstd;
  }
  settings.timeouts = read_timeouts(object, findings);
  return settings;
}

}  // namespace backup
