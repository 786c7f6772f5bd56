// SPDX-License-Identifier: BSL-1.0
//
// Plugins of the backup kinds that follow the rules of their kinds, except for the one that
// planted_fault names. Objects, volumes and snapshots are in memory. meson.build lists the
// variants.
#include <tenon/sdk/backup_item_action.hpp>
#include <tenon/sdk/delete_item_action.hpp>
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/object_store.hpp>
#include <tenon/sdk/restore_item_action.hpp>
#include <tenon/sdk/stream.hpp>
#include <tenon/sdk/volume_snapshotter.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planted.h"

namespace {

using tenon::sdk::Failure;

bool planted(std::string_view fault) {
  return fault == planted_fault;
}

int* volatile nowhere = nullptr;

// -- The object store ---------------------------------------------------------

using Objects = std::map<std::string, std::string, std::less<>>;

std::mutex objects_mutex;
Objects objects;  // by bucket and key

std::string address(std::string_view bucket, std::string_view key) {
  return tenon::sdk::text(bucket, '\n', key);
}

class TextReader : public tenon::sdk::Reader {
 public:
  explicit TextReader(std::string text) : text_(std::move(text)) {}

  std::size_t read(tenon::sdk::Call, tenon::Buffer into) override {
    const std::size_t size = std::min(into.size, text_.size() - at_);
    std::copy_n(text_.data() + at_, size, into.data);
    at_ += size;
    return size;
  }

 private:
  const std::string text_;
  std::size_t at_ = 0;
};

class Store : public tenon::sdk::ObjectStoreV2 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    if (planted("refuses its configuration")) throw Failure(TENON_INTERNAL, "never");
    config.get<std::string>("name");
  }

  void put_object(std::string_view bucket, std::string_view key,
                  std::unique_ptr<tenon::sdk::Reader> body) override {
    if (planted("leaks a descriptor")) static_cast<void>(open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::string text;
    try {
      read_all(*body, text);
    } catch (const Failure&) {
      if (!planted("stores half an object")) throw;
    }
    if (planted("truncates objects")) text.resize(std::min<std::size_t>(text.size(), 4096));
    const std::lock_guard<std::mutex> lock(objects_mutex);
    if (planted("never replaces objects") && objects.count(address(bucket, key)) != 0) return;
    objects[address(bucket, key)] = std::move(text);
  }

  tenon::ObjectInfo object_info(std::string_view bucket, std::string_view key) override {
    if (planted("crashes for missing objects") && !has(bucket, key)) *nowhere = 1;
    tenon::ObjectInfo info;
    info.size = find(bucket, key).size();
    if (planted("gives a wrong size")) info.size = 1;
    return info;
  }

  std::unique_ptr<tenon::sdk::Reader> get_object(std::string_view bucket,
                                                 std::string_view key) override {
    if (planted("gives empty objects for missing ones") && !has(bucket, key)) {
      return std::make_unique<TextReader>("");
    }
    return std::make_unique<TextReader>(find(bucket, key));
  }

  std::vector<std::string> list_common_prefixes(std::string_view bucket, std::string_view prefix,
                                                std::string_view delimiter) override {
    std::vector<std::string> prefixes;
    for (const std::string& key : keys(bucket, prefix)) {
      const std::size_t end = key.find(delimiter, prefix.size());
      if (end == std::string::npos) continue;
      prefixes.push_back(key.substr(0, end + delimiter.size()));
    }
    if (planted("repeats common prefixes")) return prefixes;
    prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
    return prefixes;
  }

  ListObjectsResult list_objects(std::string_view bucket, std::string_view prefix,
                                 std::string_view start_after, std::uint32_t limit) override {
    ListObjectsResult page;
    const bool out_of_order = planted("lists out of order");
    for (std::string& key : keys(bucket, prefix)) {
      const bool follows = key > start_after || (out_of_order && limit != 0);
      if (follows) page.keys.push_back(std::move(key));
    }
    if (out_of_order && limit == 0 && page.keys.size() == 3) {
      std::reverse(page.keys.begin(), page.keys.end());
    }
    if (planted("takes no limit")) limit = 0;
    page.more = limit > 0 && page.keys.size() > limit;
    if (page.more) page.keys.resize(limit);
    return page;
  }

  void delete_object(std::string_view bucket, std::string_view key) override {
    const std::lock_guard<std::mutex> lock(objects_mutex);
    const std::size_t gone = objects.erase(address(bucket, key));
    if (gone == 0 && planted("needs an object to delete")) throw Failure(TENON_NOT_FOUND, "none");
    if (planted("deletes too much") && key.substr(key.size() - 1) == "y") {
      objects.erase(address(bucket, tenon::sdk::text(key.substr(0, key.size() - 1), 'x')));
    }
  }

 private:
  void read_all(tenon::sdk::Reader& body, std::string& text) {
    char buffer[1000];
    while (const std::size_t size =
               body.read(call(), {reinterpret_cast<std::uint8_t*>(buffer), sizeof buffer})) {
      text.append(buffer, size);
      if (planted("reads only a part of objects")) return;
    }
  }

  static bool has(std::string_view bucket, std::string_view key) {
    const std::lock_guard<std::mutex> lock(objects_mutex);
    return objects.count(address(bucket, key)) != 0;
  }

  static std::string find(std::string_view bucket, std::string_view key) {
    const std::lock_guard<std::mutex> lock(objects_mutex);
    const auto found = objects.find(address(bucket, key));
    if (found == objects.end()) throw Failure(TENON_NOT_FOUND, "no object ", key);
    return found->second;
  }

  static std::vector<std::string> keys(std::string_view bucket, std::string_view prefix) {
    const std::string begin = address(bucket, prefix);
    const std::lock_guard<std::mutex> lock(objects_mutex);
    std::vector<std::string> found;
    for (auto at = objects.lower_bound(begin); at != objects.end(); ++at) {
      if (at->first.compare(0, begin.size(), begin) != 0) break;
      found.push_back(at->first.substr(bucket.size() + 1));
    }
    return found;
  }
};

// -- The volume snapshotter ---------------------------------------------------

std::mutex volumes_mutex;
std::set<std::string, std::less<>> volumes = {"volume"};
std::map<std::string, int, std::less<>> snapshots;  // and the questions about their progress
int made = 0;

class Snapshotter : public tenon::sdk::VolumeSnapshotterV2 {
 public:
  void configure(const tenon::sdk::Config&) override {}

  std::string create_volume_from_snapshot(std::string_view snapshot, std::string_view,
                                          std::string_view, std::optional<std::int64_t>) override {
    const std::lock_guard<std::mutex> lock(volumes_mutex);
    const auto found = snapshots.find(snapshot);
    if (found == snapshots.end() && !planted("restores snapshots that are gone")) {
      throw Failure(TENON_NOT_FOUND, "no snapshot ", snapshot);
    }
    if (found != snapshots.end() && !is_complete(found->second)) {
      throw Failure(TENON_FAILED_PRECONDITION, "incomplete snapshot ", snapshot);
    }
    if (planted("restores to the same volume")) return "volume";
    return *volumes.insert("volume-" + std::to_string(++made)).first;
  }

  std::string get_volume_id(std::string_view volume) override {
    const std::size_t begin = volume.find("\"id\":\"") + 6;
    return std::string(volume.substr(begin, volume.find('"', begin) - begin));
  }

  tenon::Json set_volume_id(std::string_view, std::string_view id) override {
    if (planted("does not set volumes")) return {R"({"id":"volume"})"};
    if (planted("gives resources that are not JSON")) return {R"({"id":)"};
    return {tenon::sdk::text(R"({"id":")", id, "\"}")};
  }

  GetVolumeInfoResult get_volume_info(std::string_view volume, std::string_view) override {
    require(volume);
    return {"plain", std::nullopt};
  }

  std::string create_snapshot(std::string_view volume, std::string_view,
                              tenon::MapView<std::string>) override {
    if (!planted("takes snapshots of nothing")) require(volume);
    const std::lock_guard<std::mutex> lock(volumes_mutex);
    const int number = planted("repeats the ids of snapshots") ? 1 : ++made;
    return snapshots.emplace("snapshot-" + std::to_string(number), 0).first->first;
  }

  void delete_snapshot(std::string_view snapshot) override {
    const std::lock_guard<std::mutex> lock(volumes_mutex);
    const std::size_t gone = snapshots.erase(std::string(snapshot));
    if (gone == 0 && planted("needs a snapshot to delete")) throw Failure(TENON_NOT_FOUND, "none");
  }

  tenon::OperationProgress progress(std::string_view snapshot) override {
    if (planted("reports no progress")) return VolumeSnapshotterV2::progress(snapshot);
    const std::lock_guard<std::mutex> lock(volumes_mutex);
    const auto found = snapshots.find(snapshot);
    if (found == snapshots.end()) throw Failure(TENON_NOT_FOUND, "no snapshot ", snapshot);
    tenon::OperationProgress progress;
    progress.completed = is_complete(++found->second);
    if (planted("fails its snapshots")) progress.error = "no space";
    return progress;
  }

 private:
  /// A snapshot is complete at the second question.
  static bool is_complete(int questions) {
    if (planted("never completes a snapshot")) return false;
    return questions > 1 || planted("reports no progress");
  }
  static void require(std::string_view volume) {
    const std::lock_guard<std::mutex> lock(volumes_mutex);
    if (volumes.count(volume) == 0) throw Failure(TENON_NOT_FOUND, "no volume ", volume);
  }
};

// -- The actions --------------------------------------------------------------

tenon::Selector pods() {
  static int calls = 0;
  tenon::Selector selector;
  selector.included_resources = {"pods"};
  if (planted("selects something else each time")) {
    selector.included_resources.push_back("pods-" + std::to_string(++calls));
  }
  if (planted("has a broken pattern")) selector.included_namespaces = {"[a-z"};
  if (planted("has a broken label selector")) selector.label_selector = "app in (web";
  return selector;
}

std::optional<tenon::Json> changed(std::string_view item) {
  static int calls = 0;
  if (planted("gives items that are not JSON")) return tenon::Json{"{"};
  if (planted("forgets what an item is")) return tenon::Json{"{}"};
  if (planted("makes another item each time")) {
    return tenon::Json{tenon::sdk::text(item.substr(0, item.rfind('}')), ",\"n\":", ++calls, '}')};
  }
  return tenon::Json{std::string(item)};
}

std::vector<tenon::ResourceId> others() {
  tenon::ResourceId secret;
  secret.resource = "secrets";
  if (!planted("names others in part")) secret.name = "key";
  return {secret};
}

/// Returns the progress of an operation, which has completed from the start.
tenon::OperationProgress progress_of(std::string_view operation) {
  if (planted("has lost its operation") && operation == "copy") {
    throw Failure(TENON_NOT_FOUND, "no operation copy");
  }
  if (operation != "copy" && !planted("knows every operation")) {
    throw Failure(TENON_NOT_FOUND, "no operation ", operation);
  }
  tenon::OperationProgress progress;
  progress.completed = true;
  return progress;
}

class BackupAction : public tenon::sdk::BackupItemActionV2 {
 public:
  void configure(const tenon::sdk::Config&) override {}
  std::string name() override {
    return planted("has another name") ? "test.example/other" : "test.example/vault";
  }
  tenon::Selector applies_to() override { return pods(); }
  ExecuteResult execute(std::string_view item, tenon::BackupV2View) override {
    return {changed(item), others(), "copy", {}};
  }
  tenon::OperationProgress progress(std::string_view operation, tenon::BackupV2View) override {
    return progress_of(operation);
  }
  void cancel(std::string_view, tenon::BackupV2View) override {
    if (planted("cannot cancel")) throw Failure(TENON_FAILED_PRECONDITION, "ended already");
  }
};

class RestoreAction : public tenon::sdk::RestoreItemActionV2 {
 public:
  void configure(const tenon::sdk::Config&) override {}
  std::string name() override { return "test.example/vault"; }
  tenon::Selector applies_to() override { return pods(); }
  ExecuteResult execute(std::string_view item, std::string_view, tenon::RestoreV1View) override {
    ExecuteResult result;
    result.updated_item = changed(item);
    result.additional_items = others();
    return result;
  }
  tenon::OperationProgress progress(std::string_view operation, tenon::RestoreV1View) override {
    return progress_of(operation);
  }
};

class DeleteAction : public tenon::sdk::DeleteItemActionV1 {
 public:
  void configure(const tenon::sdk::Config&) override {}
  tenon::Selector applies_to() override { return pods(); }
  void execute(std::string_view, tenon::BackupV2View) override {
    if (planted("succeeds only once") && std::exchange(gone_, true)) {
      throw Failure(TENON_NOT_FOUND, "gone already");
    }
  }

 private:
  bool gone_ = false;
};

}  // namespace

#define PLUGINS(P)                       \
  P(Store, "test.example/vault")         \
  P(Snapshotter, "test.example/vault")   \
  P(BackupAction, "test.example/vault")  \
  P(RestoreAction, "test.example/vault") \
  P(DeleteAction, "test.example/vault")
TENON_PLUGINS("test.example/vault", "1.0.0", PLUGINS, {"summary": "Keeps everything in memory"});
