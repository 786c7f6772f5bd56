// SPDX-License-Identifier: BSL-1.0
//
// Plugins of version 1 of the backup kinds.
#include <tenon/sdk/backup_item_action.hpp>
#include <tenon/sdk/object_store.hpp>
#include <tenon/sdk/restore_item_action.hpp>
#include <tenon/sdk/volume_snapshotter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using tenon::Json;
using tenon::ResourceIdV1;
using tenon::sdk::Failure;

/// Reads the content of an object, at most three bytes at a time.
struct Content : tenon::sdk::Reader {
  explicit Content(std::string text) : left(std::move(text)) {}
  std::size_t read(tenon::sdk::Call, tenon::sdk::Buffer into) override {
    const std::size_t count = std::min<std::size_t>({left.size(), into.size, 3});
    std::copy_n(left.data(), count, into.data);
    left.erase(0, count);
    return count;
  }
  std::string left;
};

/// Stores objects in memory, and lists them in reverse order.
struct Store : tenon::sdk::ObjectStoreV1 {
  void put_object(std::string_view bucket, std::string_view key,
                  std::unique_ptr<tenon::sdk::Reader> body) override {
    std::string content;
    std::uint8_t room[4];
    while (const std::size_t count = body->read(call(), {room, sizeof room})) {
      content.append(reinterpret_cast<const char*>(room), count);
    }
    const std::lock_guard lock(mutex);
    objects[path(bucket, key)] = content;
  }
  bool object_exists(std::string_view bucket, std::string_view key) override {
    const std::lock_guard lock(mutex);
    return objects.count(path(bucket, key)) != 0;
  }
  std::unique_ptr<tenon::sdk::Reader> get_object(std::string_view bucket,
                                                 std::string_view key) override {
    const std::lock_guard lock(mutex);
    const auto found = objects.find(path(bucket, key));
    if (found == objects.end()) throw Failure(TENON_NOT_FOUND, "no object ", key);
    return std::make_unique<Content>(found->second);
  }
  std::vector<std::string> list_common_prefixes(std::string_view, std::string_view prefix,
                                                std::string_view delimiter) override {
    return {std::string(prefix) + "f-1" + std::string(delimiter)};
  }
  std::vector<std::string> list_objects(std::string_view bucket, std::string_view prefix) override {
    const std::string begin = path(bucket, prefix);
    std::vector<std::string> keys;
    const std::lock_guard lock(mutex);
    for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
      if (object->first.compare(0, begin.size(), begin) != 0) continue;
      keys.push_back(object->first.substr(bucket.size() + 1));
    }
    return keys;
  }
  void delete_object(std::string_view bucket, std::string_view key) override {
    const std::lock_guard lock(mutex);
    objects.erase(path(bucket, key));
  }
  std::string create_signed_url(std::string_view, std::string_view key,
                                tenon::Duration ttl) override {
    return "memory:" + std::string(key) + "?ttl=" + std::to_string(ttl.count());
  }

  static std::string path(std::string_view bucket, std::string_view key) {
    return std::string(bucket) + "/" + std::string(key);
  }
  std::mutex mutex;
  std::map<std::string, std::string> objects;
};

struct Snapshotter : tenon::sdk::VolumeSnapshotterV1 {
  std::string create_volume_from_snapshot(std::string_view snapshot, std::string_view type,
                                          std::string_view zone,
                                          std::optional<std::int64_t> iops) override {
    return std::string(snapshot) + " " + std::string(type) + " " + std::string(zone) + " " +
           (iops ? std::to_string(*iops) : "none");
  }
  std::string get_volume_id(std::string_view volume) override { return std::string(volume); }
  Json set_volume_id(std::string_view, std::string_view id) override {
    return {"\"" + std::string(id) + "\""};
  }
  GetVolumeInfoResult get_volume_info(std::string_view id, std::string_view) override {
    return {"fast", id == "idle" ? std::optional<std::int64_t>(0) : std::nullopt};
  }
  std::string create_snapshot(std::string_view id, std::string_view zone,
                              tenon::MapView<std::string> tags) override {
    std::string snapshot = std::string(id) + "@" + std::string(zone);
    for (const auto& [key, value] : tags) {
      snapshot += " " + std::string(key) + "=" + std::string(value);
    }
    return snapshot;
  }
  void delete_snapshot(std::string_view id) override {
    if (id == "kept") throw Failure(TENON_FAILED_PRECONDITION, "it is in use");
  }
};

struct BackupAction : tenon::sdk::BackupItemActionV1 {
  void configure(const tenon::sdk::Config& config) override {
    added = config.get("added", std::string());
  }
  tenon::SelectorV1 applies_to() override {
    tenon::SelectorV1 selector;
    selector.included_resources = {"pods"};
    return selector;
  }
  ExecuteResult execute(std::string_view item, tenon::BackupV1View backup) override {
    if (item == "\"slow\"") call().wait(std::chrono::hours(1));
    if (call().cancelled()) throw Failure(TENON_DEADLINE_EXCEEDED, "out of time");
    if (added.empty()) return {};
    std::string marked(backup.name());
    marked += " " + std::string(backup.status()) + " of";
    for (const std::string_view space : backup.included_namespaces()) {
      marked += " " + std::string(space);
    }
    return {Json{"\"" + marked + "\""}, {ResourceIdV1{"configmaps", "web", added, {}}}};
  }
  std::string added;
};

struct RestoreAction : tenon::sdk::RestoreItemActionV1 {
  tenon::SelectorV1 applies_to() override { return {}; }
  ExecuteResult execute(std::string_view item, std::string_view from_backup,
                        tenon::RestoreV1View restore) override {
    if (item != from_backup) return {std::nullopt, {}, true};
    std::string mapped(restore.backup());
    for (const auto& [from, to] : restore.namespace_mapping()) {
      mapped += " " + std::string(from) + "->" + std::string(to);
    }
    return {Json{"\"" + mapped + "\""}, {ResourceIdV1{"secrets", "", "key", {}}}, false};
  }
};

}  // namespace

#define PLUGINS(P)                             \
  P(Store, "test.example/store")               \
  P(Snapshotter, "test.example/snapshotter")   \
  P(BackupAction, "test.example/mark-backups") \
  P(RestoreAction, "test.example/map-namespaces")
TENON_PLUGINS("test.example/old-backup", "1.0.0", PLUGINS, {"threads": "joined"});
