// SPDX-License-Identifier: BSL-1.0
#include "settings.hpp"

#include <string_view>

#include "common/duration_setting.hpp"
#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "common/text_file.hpp"

namespace backup {
namespace {

using tenon::tools::JsonValue;
using tenon::tools::ObjectReader;

std::vector<PluginUse> read_uses(const ObjectReader& settings, std::string_view key,
                                 const std::string& what, Diagnostics& diagnostics) {
  std::vector<PluginUse> uses;
  const JsonValue::Array* values = settings.optional_array(key);
  if (values == nullptr) return uses;
  for (const JsonValue& value : *values) {
    uses.push_back(tenon::tools::read_plugin_use(value, what, diagnostics));
  }
  return uses;
}

void read_timeout(const ObjectReader& timeouts, std::string_view key,
                  std::chrono::nanoseconds& timeout, Diagnostics& diagnostics) {
  timeout = tenon::tools::read_duration(timeouts, key, "timeout", diagnostics).value_or(timeout);
}

Timeouts read_timeouts(const ObjectReader& settings, Diagnostics& diagnostics) {
  Timeouts timeouts;
  const JsonValue* value = settings.optional("timeouts");
  if (value == nullptr) return timeouts;
  const ObjectReader object(*value, "timeouts", {"call", "store", "operation", "ready", "poll"},
                            diagnostics);
  read_timeout(object, "call", timeouts.call, diagnostics);
  read_timeout(object, "store", timeouts.store, diagnostics);
  read_timeout(object, "operation", timeouts.operation, diagnostics);
  read_timeout(object, "ready", timeouts.ready, diagnostics);
  read_timeout(object, "poll", timeouts.poll, diagnostics);
  return timeouts;
}

}  // namespace

std::optional<Settings> read_settings(const std::filesystem::path& path, Diagnostics& diagnostics) {
  const auto text = tenon::tools::read_text_file(path, diagnostics);
  if (!text) return std::nullopt;
  const auto value = tenon::tools::read_json(*text, path.string(), diagnostics);
  if (!value) return std::nullopt;

  const ObjectReader object(*value, "a configuration",
                            {"store", "bucket", "snapshotters", "backup_actions", "restore_actions",
                             "delete_actions", "compression", "timeouts"},
                            diagnostics);
  Settings settings;
  if (const JsonValue* store = object.required("store")) {
    settings.store = tenon::tools::read_plugin_use(*store, "a store", diagnostics);
  }
  if (object.optional("bucket") != nullptr) settings.bucket = object.text("bucket");
  settings.snapshotters = read_uses(object, "snapshotters", "a snapshotter", diagnostics);
  settings.backup_actions = read_uses(object, "backup_actions", "a backup action", diagnostics);
  settings.restore_actions = read_uses(object, "restore_actions", "a restore action", diagnostics);
  settings.delete_actions = read_uses(object, "delete_actions", "a delete action", diagnostics);
  if (object.optional_word("compression", {"gzip", "zstd"}) == "gzip") {
    settings.compression = Compression::gzip;
  }
  settings.timeouts = read_timeouts(object, diagnostics);
  return settings;
}

}  // namespace backup
