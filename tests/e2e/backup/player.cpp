// SPDX-License-Identifier: BSL-1.0
//
// Item actions whose behaviour the items define. In an item, "do-backup-a": "label also=pods/web/p"
// makes the backup action test.example/a change the item and return an additional one. Every call
// adds a line to the file that the configuration names.
#include <tenon/sdk/backup_item_action.hpp>
#include <tenon/sdk/delete_item_action.hpp>
#include <tenon/sdk/object_store.hpp>
#include <tenon/sdk/restore_item_action.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using tenon::Json;
using tenon::ResourceIdV1;
using tenon::sdk::Failure;
namespace fs = std::filesystem;

std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return std::string(text.substr(0, text.find(after)));
}

void sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(separator), text.size());
    if (size != 0) parts.emplace_back(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return parts;
}

/// The configuration and the journal of an action.
class Script {
 public:
  void configure(const tenon::sdk::Config& config) {
    path_ = config.get("journal", "");
    selector.included_resources = split(config.get("resources", ""), ',');
    selector.label_selector = config.get("labels", "");
    while (config.get("configure", "") == "hangs") sleep(10);
    fails_ = config.get("applies_to", "") == "fails";
  }

  const tenon::SelectorV1& applies_to() const {
    if (fails_) throw Failure(TENON_INTERNAL, "no selector today");
    return selector;
  }

  void note(const std::string& line) const {
    if (path_.empty()) return;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::ofstream(path_, std::ios::app | std::ios::binary) << line + "\n";
  }

  tenon::SelectorV1 selector;

 private:
  std::string path_;
  bool fails_ = false;
};

/// The part of an item that defines the behaviour of one action.
class Part {
 public:
  Part(std::string_view item, const std::string& role)
      : words_(split(between(item, "\"do-" + role + "\":\"", "\""), ' ')) {}

  bool has(std::string_view word) const {
    for (const std::string& each : words_) {
      if (each == word) return true;
    }
    return false;
  }

  std::vector<std::string> values(std::string_view key) const {
    std::vector<std::string> values;
    for (const std::string& word : words_) {
      if (word.compare(0, key.size() + 1, std::string(key) + "=") == 0) {
        values.push_back(word.substr(key.size() + 1));
      }
    }
    return values;
  }
  std::string value(std::string_view key) const {
    const auto all = values(key);
    return all.empty() ? std::string() : all.front();
  }

  std::vector<ResourceIdV1> ids(std::string_view key) const {
    std::vector<ResourceIdV1> ids;
    for (const std::string& value : values(key)) {
      const auto parts = split(value, '/');
      ResourceIdV1& id = ids.emplace_back();
      id.resource = parts.front();
      id.in_namespace = parts.size() == 3 ? parts[1] : "";
      id.name = parts.back();
    }
    return ids;
  }

  /// Fails, crashes, hangs, prints or ends the process if the item says so.
  void misbehave() const {
    if (has("print")) {
      std::printf("from printf\n");
      std::cout << "from cout" << std::endl;
      if (::write(STDOUT_FILENO, "from write\n", 11) < 0) ::abort();
    }
    if (has("exit")) std::exit(0);
    if (has("_Exit")) std::_Exit(0);
#ifndef _WIN32  // its C library has no such function
    if (has("quick_exit")) std::quick_exit(0);
#endif
    if (has("fail")) {
      std::string text = "told to fail";
      while (has("long") && text.size() < 1'000'000) text += "\u00e9";
      throw Failure(TENON_INTERNAL, text);
    }
    if (has("crash")) *static_cast<volatile int*>(nullptr) = 1;
    while (has("hang")) sleep(10);
  }

  /// Returns the changed item, or nothing if it stays unchanged.
  std::optional<Json> changed(std::string_view item, const std::string& by) const {
    if (has("junk")) return Json{"this is no JSON"};
    std::string text(item);
    if (has("rename")) {
      const std::string name = between(item, "\"name\":\"", "\"");
      text.replace(text.find("\"name\":\"" + name), name.size() + 8, "\"name\":\"other");
    }
    if (has("rekind")) text.replace(text.find("Secret"), 6, "ConfigMap");
    if (has("label")) text.insert(1, "\"changed-by-" + by + "\":1,");
    if (has("annotate")) {
      const std::string metadata = "\"metadata\":{";
      text.insert(text.find(metadata) + metadata.size(),
                  R"("annotations":{"tenon.dev/external-artifact":"data"},)");
    }
    if (has("grow")) text.insert(1, std::string(std::size_t{16} << 20, ' '));
    if (text == item) return std::nullopt;
    return Json{text};
  }

 private:
  std::vector<std::string> words_;
};

std::string name_in(std::string_view item) {
  return between(item, "\"name\":\"", "\"");
}

/// Counts the polls of operations and of readiness. An id with -1 never completes.
class Counts {
 public:
  bool reached(const std::string& id) {
    const std::string wanted = id.substr(id.rfind(':') + 1);
    if (wanted == "never") return false;
    int number = 0;
    std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    const std::lock_guard lock(mutex_);
    return ++counts_[id] >= number;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> counts_;
};

tenon::OperationProgressV1 progress_of(Counts& counts, std::string_view id) {
  tenon::OperationProgressV1 progress;
  const std::string text(id);
  progress.completed = text.find(":fails") != std::string::npos || counts.reached(text);
  if (text.find(":fails") != std::string::npos) progress.error = "the disk is on fire";
  return progress;
}

template <class Base>
class Played : public Base {
 public:
  void configure(const tenon::sdk::Config& config) override { script_.configure(config); }
  tenon::SelectorV1 applies_to() override {
    note("applies_to");
    return script_.applies_to();
  }

 protected:
  explicit Played(std::string_view role) : role_(role) {}

  std::string letter() const {
    const std::string& name = tenon::sdk::Plugin::name();
    return name.substr(name.rfind('/') + 1);
  }
  Part part(std::string_view item) const { return Part(item, role_ + "-" + letter()); }
  void note(const std::string& what) const { script_.note(role_ + " " + letter() + " " + what); }

  Script script_;
  const std::string role_;
};

class BackupPlayer : public Played<tenon::sdk::BackupItemActionV2> {
 public:
  BackupPlayer() : Played("backup") {}
  std::string name() override { return Plugin::name(); }

  ExecuteResult execute(std::string_view item, tenon::BackupV2View backup) override {
    note("execute " + name_in(item) + " of " + std::string(backup.name()));
    const Part part = this->part(item);
    part.misbehave();
    while (part.has("wait") && !call().cancelled()) sleep(10);
    ExecuteResult result;
    result.item = part.changed(item, letter());
    result.skip_backup = part.has("skip");
    result.additional_items = part.ids("also");
    if (const std::string polls = part.value("operation"); !polls.empty()) {
      result.operation_id = name_in(item) + ":" + polls;
      result.post_operation_items = part.ids("after");
    }
    return result;
  }

  tenon::OperationProgressV1 progress(std::string_view id, tenon::BackupV2View) override {
    note("progress " + std::string(id));
    return progress_of(counts_, id);
  }
  void cancel(std::string_view id, tenon::BackupV2View) override {
    note("cancel " + std::string(id));
    if (id.rfind("stuck", 0) == 0)
      throw tenon::sdk::Failure(TENON_INTERNAL, "it cannot be stopped");
  }

 private:
  Counts counts_;
};

/// The same name in version 1, which is not called because version 2 exists.
class OldBackupPlayer : public Played<tenon::sdk::BackupItemActionV1> {
 public:
  OldBackupPlayer() : Played("old") {}

  ExecuteResult execute(std::string_view item, tenon::BackupV1View) override {
    note("execute " + name_in(item));
    return {};
  }
};

class RestorePlayer : public Played<tenon::sdk::RestoreItemActionV2> {
 public:
  RestorePlayer() : Played("restore") {}
  std::string name() override { return Plugin::name(); }

  ExecuteResult execute(std::string_view item, std::string_view original,
                        tenon::RestoreV1View restore) override {
    note("execute " + name_in(item) + " of " + std::string(restore.backup()) +
         (item == original ? "" : ", changed"));
    const Part part = this->part(item);
    part.misbehave();
    ExecuteResult result;
    result.updated_item = part.changed(item, letter());
    result.additional_items = part.ids("also");
    result.skip_restore = part.has("skip");
    if (const std::string polls = part.value("operation"); !polls.empty()) {
      result.operation_id = name_in(item) + ":" + polls;
    }
    if (const std::string asks = part.value("ready"); !asks.empty()) {
      result.wait_for_additional_items = true;
      if (asks == "never") result.additional_items_ready_timeout = std::chrono::milliseconds(20);
      if (asks == "longest") result.additional_items_ready_timeout = tenon::Duration::max();
    }
    return result;
  }

  tenon::OperationProgressV1 progress(std::string_view id, tenon::RestoreV1View) override {
    note("progress " + std::string(id));
    return progress_of(counts_, id);
  }
  void cancel(std::string_view id, tenon::RestoreV1View) override {
    note("cancel " + std::string(id));
  }
  /// Returns true after as many calls as there are items, and never if there are none.
  bool are_additional_items_ready(tenon::ListView<ResourceIdV1> items,
                                  tenon::RestoreV1View) override {
    note("ready? " + std::to_string(items.size()));
    return items.size() != 0 && counts_.reached("ready:" + std::to_string(items.size()));
  }

 private:
  Counts counts_;
};

class DeletePlayer : public Played<tenon::sdk::DeleteItemActionV1> {
 public:
  DeletePlayer() : Played("delete") {}

  void execute(std::string_view item, tenon::BackupV2View backup) override {
    note("execute " + name_in(item) + " of " + std::string(backup.name()) +
         (item.find("changed-by") == std::string_view::npos ? "" : ", changed"));
    const Part part = this->part(item);
    part.misbehave();
    while (part.has("wait") && !fs::exists("go")) sleep(1);
  }
};

/// A store whose lists are empty.
class UnlistedStore : public tenon::sdk::ObjectStoreV2 {
 public:
  std::vector<std::string> list_common_prefixes(std::string_view, std::string_view,
                                                std::string_view) override {
    return {};
  }
  ListObjectsResult list_objects(std::string_view, std::string_view, std::string_view,
                                 std::uint32_t) override {
    return {};
  }
};

/// A store that stores nothing: put_object waits until it is cancelled, never returns, or fails as
/// soon as a file "full" exists.
class StuckStore : public UnlistedStore {
 public:
  void configure(const tenon::sdk::Config& config) override {
    script_.configure(config);
    how_ = config.get("how", "");
  }
  void put_object(std::string_view, std::string_view,
                  std::unique_ptr<tenon::sdk::Reader>) override {
    script_.note("put");
    if (how_ == "refuses") {
      while (!fs::exists("full")) sleep(1);
      throw Failure(TENON_INTERNAL, "the store is full");
    }
    while (how_ == "deaf") sleep(10);
    call().wait(std::chrono::hours(1));
  }
  tenon::ObjectInfoV1 object_info(std::string_view, std::string_view) override {
    throw Failure(TENON_NOT_FOUND, "nothing is here");
  }
  std::unique_ptr<tenon::sdk::Reader> get_object(std::string_view, std::string_view) override {
    throw Failure(TENON_NOT_FOUND, "nothing is here");
  }
  void delete_object(std::string_view, std::string_view) override {}

 private:
  Script script_;
  std::string how_;
};

class ObjectReader : public tenon::sdk::Reader {
 public:
  explicit ObjectReader(std::string content) : rest_(std::move(content)) {}
  std::size_t read(tenon::sdk::Call, tenon::sdk::Buffer into) override {
    const std::size_t size = rest_.copy(reinterpret_cast<char*>(into.data), into.size);
    rest_.erase(0, size);
    return size;
  }

 private:
  std::string rest_;
};

std::string read_all(tenon::sdk::Reader& body, tenon::sdk::Call call) {
  std::string content;
  std::uint8_t piece[4096];
  while (const std::size_t size = body.read(call, {piece, sizeof piece})) {
    content.append(reinterpret_cast<const char*>(piece), size);
  }
  return content;
}

/// A store in memory. object_info of an object that exists waits until it is cancelled.
class PonderingStore : public UnlistedStore {
 public:
  void configure(const tenon::sdk::Config& config) override { script_.configure(config); }
  void put_object(std::string_view, std::string_view key,
                  std::unique_ptr<tenon::sdk::Reader> body) override {
    objects_[std::string(key)] = read_all(*body, call());
  }
  tenon::ObjectInfoV1 object_info(std::string_view, std::string_view key) override {
    find(key);
    script_.note("found " + std::string(key));
    call().wait(std::chrono::hours(1));
    return {};
  }
  std::unique_ptr<tenon::sdk::Reader> get_object(std::string_view, std::string_view key) override {
    return std::make_unique<ObjectReader>(find(key));
  }
  void delete_object(std::string_view, std::string_view key) override {
    if (objects_.erase(std::string(key)) != 0) script_.note("deleted " + std::string(key));
  }

 private:
  const std::string& find(std::string_view key) const {
    const auto found = objects_.find(std::string(key));
    if (found == objects_.end()) throw Failure(TENON_NOT_FOUND, "nothing is here");
    return found->second;
  }

  Script script_;
  std::map<std::string, std::string> objects_;
};

/// A store with a file for each object. While a file "full" exists, it stores nothing until its
/// archives are deleted. While a file "stuck" exists, it deletes no record of a restore. If a file
/// "loses-reply" exists, it stores the record of a backup, but fails, and it cannot be reached as
/// long as this file exists.
class SmallStore : public tenon::sdk::ObjectStoreV2 {
 public:
  void put_object(std::string_view, std::string_view key,
                  std::unique_ptr<tenon::sdk::Reader> body) override {
    const std::string content = read_all(*body, call());
    check_reachable();
    const std::vector<std::string> all = keys();
    if (fs::exists("full") && std::any_of(all.begin(), all.end(), [](const std::string& stored) {
          return stored.find("/contents-") != std::string::npos;
        })) {
      throw Failure(TENON_RESOURCE_EXHAUSTED, "the store is full");
    }
    fs::create_directory("objects");
    std::ofstream(path(key), std::ios::binary) << content;
    if (ends_with(key, "/backup.json")) check_reachable();
  }
  tenon::ObjectInfoV1 object_info(std::string_view, std::string_view key) override {
    check(key);
    return {};
  }
  std::unique_ptr<tenon::sdk::Reader> get_object(std::string_view, std::string_view key) override {
    check(key);
    std::ifstream file(path(key), std::ios::binary);
    return std::make_unique<ObjectReader>(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::vector<std::string> list_common_prefixes(std::string_view, std::string_view prefix,
                                                std::string_view delimiter) override {
    std::set<std::string> prefixes;
    for (const std::string& key : keys(prefix)) {
      prefixes.insert(key.substr(0, key.find(delimiter, prefix.size()) + 1));
    }
    return {prefixes.begin(), prefixes.end()};
  }
  ListObjectsResult list_objects(std::string_view, std::string_view prefix, std::string_view,
                                 std::uint32_t) override {
    ListObjectsResult page;
    page.keys = keys(prefix);
    page.more = fs::exists("endless");
    return page;
  }
  void delete_object(std::string_view, std::string_view key) override {
    check_reachable();
    const bool is_stuck = fs::exists("stuck") && starts_with(key, "restores/");
    if (is_stuck) throw Failure(TENON_INTERNAL, "the object cannot be deleted");
    fs::remove(path(key));
  }

 private:
  static fs::path path(std::string_view key) {
    std::string name(key);
    std::replace(name.begin(), name.end(), '/', '+');
    return fs::path("objects") / name;
  }
  /// Fails if the connection was lost, which happens right after the record was stored.
  static void check_reachable() {
    const auto all = keys();
    const bool has_record = std::any_of(
        all.begin(), all.end(), [](const auto& key) { return ends_with(key, "/backup.json"); });
    if (has_record && fs::exists("loses-reply")) throw Failure(TENON_UNAVAILABLE, "no connection");
  }
  static void check(std::string_view key) {
    check_reachable();
    if (!fs::exists(path(key))) throw Failure(TENON_NOT_FOUND, "nothing is here");
  }
  static bool starts_with(std::string_view text, std::string_view begin) {
    return text.substr(0, begin.size()) == begin;
  }
  static bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  }
  static std::vector<std::string> keys(std::string_view prefix = {}) {
    std::vector<std::string> keys;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("objects", none)) {
      std::string key = entry.path().filename().string();
      std::replace(key.begin(), key.end(), '+', '/');
      if (starts_with(key, prefix)) keys.push_back(std::move(key));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }
};

/// A store whose create hangs if a file "no-birth" exists.
class UnbornStore : public StuckStore {
 public:
  UnbornStore() {
    while (fs::exists("no-birth")) sleep(10);
  }
};

}  // namespace

#define PLUGINS(PLUGIN)                            \
  PLUGIN(BackupPlayer, "test.example/a")           \
  PLUGIN(BackupPlayer, "test.example/b")           \
  PLUGIN(OldBackupPlayer, "test.example/a")        \
  PLUGIN(RestorePlayer, "test.example/a")          \
  PLUGIN(RestorePlayer, "test.example/b")          \
  PLUGIN(DeletePlayer, "test.example/a")           \
  PLUGIN(DeletePlayer, "test.example/b")           \
  PLUGIN(StuckStore, "test.example/stuck")         \
  PLUGIN(PonderingStore, "test.example/pondering") \
  PLUGIN(SmallStore, "test.example/small")         \
  PLUGIN(UnbornStore, "test.example/unborn")
TENON_PLUGINS("test.example/player", "1.0.0", PLUGINS, {"threads": "joined"});
