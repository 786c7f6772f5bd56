// SPDX-License-Identifier: BSL-1.0
#include "create.hpp"

#include <tenon/backup_item_action.hpp>
#include <tenon/backup_json.hpp>
#include <tenon/builtins.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "action_batches.hpp"
#include "actions.hpp"
#include "archive_path.hpp"
#include "common/plugin_origins.hpp"
#include "definitions.hpp"
#include "documents.hpp"
#include "input.hpp"
#include "item.hpp"
#include "operations.hpp"
#include "selection_check.hpp"
#include "snapshots.hpp"
#include "upload.hpp"

namespace backup {
namespace {

using ItemAction = tenon::BackupItemAction;
using tenon::ResourceIdV1;

constexpr std::string_view definitions_resource = "customresourcedefinitions.apiextensions.k8s.io";

tenon::Timestamp now() {
  return std::chrono::time_point_cast<tenon::Duration>(std::chrono::system_clock::now());
}

tenon::Result<Input> read_input(const Session& session, const CreateRequest& request,
                                Report& report) {
  Input input;
  input.is_for_backup = true;
  std::vector<tenon::Error> problems;
  auto items = read_documents(
      request.from,
      [&](std::string_view api_version, std::string_view kind) {
        return input.names.resource_of(api_version, kind);
      },
      problems, [&](const boost::json::object& item) { add_definition(item, input.names); },
      [&] { return session.caller.cancelled(); });
  if (!items) return std::move(items).error();
  for (const tenon::Error& problem : problems) report.error(problem);
  if (auto good = check_selection(request.selector, input.names); !good) return good.error();
  auto filter = Selector::compile(request.selector, input.names);
  if (!filter) return std::move(filter).error();
  input.items = *std::move(items);
  report_unknown_namespaces(request.selector, input.items, report);
  input.filter = *std::move(filter);
  return input;
}

/// The policy of backup actions, see ActionBatches.
struct BackupPolicy {
  using Kind = ItemAction;

  struct Operation {
    PluginPtr<ItemAction> plugin;
    std::string id;
    std::vector<ResourceIdV1> items;  // post-operation items
  };
  struct Item {
    std::size_t index = 0;
    ResourceIdV1 original_id;
    Labels labels;
    std::string annotations;  // of the item as it was read and after each change, see ItemOutline
    std::string text;
    bool skipped = false;
    std::vector<ResourceIdV1> additional{};
    std::vector<Operation> operations{};
    std::vector<tenon::Error> errors{};
  };

  auto body(const PluginPtr<ItemAction>& plugin, const Item& item) const {
    return [plugin, text = item.text, backup = backup](tenon::Call& call) {
      return plugin->handle->execute(call, text, *backup);
    };
  }
  template <class Result>
  void take(const PluginPtr<ItemAction>& plugin, std::size_t, Item& item, const Result& done) const;
  void replace(const PluginPtr<ItemAction>& plugin, std::string_view changed, Item& item) const;
  static bool is_finished(const Item& item) { return item.skipped; }
  bool is_barrier(const Item& item) const {
    return !handled->contains(item.additional) || Snapshots::concerns(item.original_id);
  }
  static bool needs_preparation(const Item&) { return false; }

  std::shared_ptr<const tenon::BackupV2> backup;
  std::shared_ptr<HandledItems> handled;
  const ResourceNames* names;
};

template <class Result>
void BackupPolicy::take(const PluginPtr<ItemAction>& plugin, std::size_t, Item& item,
                        const Result& done) const {
  if (!done) return item.errors.push_back(done.error());
  item.skipped = done->skip_backup;
  if (item.skipped) return;
  append(item.additional, owned(done->additional_items));
  if (!done->operation_id.empty()) {
    item.operations.push_back(
        {plugin, std::string(done->operation_id), owned(done->post_operation_items)});
  }
  if (done->item) replace(plugin, *done->item, item);
}

/// Reports and drops a change that cannot be used.
void BackupPolicy::replace(const PluginPtr<ItemAction>& plugin, std::string_view changed,
                           Item& item) const {
  const auto outline = read_item(changed);
  if (!outline) {
    item.errors.push_back(of_plugin(outline.error(), plugin->info, "execute"));
    return;
  }
  const ResourceIdV1 id = id_of(*outline, *names);
  if (id != item.original_id) {
    const bool same_resource = id.resource == item.original_id.resource;
    item.errors.push_back(tenon::Error(
        {.code = "identity-changed",
         .message = same_resource ? "the action changed the name or namespace of the item"
                                  : "the action changed the kind or API group of the item",
         .found = id_text(id),
         .needed = id_text(item.original_id),
         .plugin = plugin->info.name(),
         .method = "execute"}));
    return;
  }
  item.text.assign(changed);
  item.annotations += outline->annotations;
}

tenon::Error interrupted() {
  return tenon::Error(
      {.status = TENON_CANCELLED, .message = "the run was interrupted; nothing was stored"});
}

/// Collects the annotations of all items of a backup.
class AnnotationIndex {
 public:
  /// Adds keys that are each followed by a NUL.
  void add(std::string_view keys) {
    while (!keys.empty()) {
      const std::string_view key = keys.substr(0, keys.find('\0'));
      keys.remove_prefix(key.size() + 1);
      if (bytes_ <= most_bytes && !keys_.contains(key)) {
        keys_.emplace(key);
        bytes_ += key.size();
      }
    }
  }
  /// Returns nothing if there are too many for a record.
  std::optional<std::vector<std::string>> keys() const {
    if (bytes_ > most_bytes) return std::nullopt;
    return std::vector<std::string>(keys_.begin(), keys_.end());
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{64} << 10;

  std::set<std::string, std::less<>> keys_;
  std::size_t bytes_ = 0;  // of all keys
};

class BackupRun {
 public:
  BackupRun(Session& session, Store& store, const CreateRequest& request, Report& report,
            Tally& tally, Input input);

  tenon::Result<std::optional<tenon::StoredBackupV1>> run();

 private:
  using Item = BackupPolicy::Item;

  void process_all();
  std::optional<Item> next();
  std::optional<Item> read(std::size_t index);
  void process_queued();
  void process_namespaces();
  void process_definitions();
  void process_related();
  void process(std::size_t index);
  void add(Item item);
  void warn_of_artifacts(const Item& item);
  void queue(const std::vector<ResourceIdV1>& ids, const ResourceIdV1& requested_by);
  bool stopped() const { return upload_.refused() || session_.caller.cancelled(); }
  bool is_unwanted() const;
  void abandon_upload();
  tenon::Result<void> finish();
  void complete_record();
  void remove_snapshots();

  Session& session_;
  Store& store_;
  Report& report_;
  Tally& tally_;
  const bool allow_empty_;
  const Input input_;
  tenon::StoredBackupV1 record_;
  std::shared_ptr<const tenon::BackupV2> backup_;  // that actions receive
  Snapshots snapshots_;
  std::shared_ptr<HandledItems> handled_ = std::make_shared<HandledItems>();
  ActionBatches<BackupPolicy> actions_;
  Operations<ItemAction, tenon::BackupV2> operations_;
  Upload upload_;
  std::size_t next_ = 0;  // the item to read
  std::vector<bool> processed_;
  std::deque<std::size_t> queue_;
  std::set<std::string> namespaces_;  // of the items that were added
  std::set<std::string> resources_;   // of these items
  AnnotationIndex annotations_;       // of these items
};

/// Returns the end of a time to live, at most the latest time that can be stored.
tenon::Timestamp expiry(tenon::Timestamp created, tenon::Duration ttl) {
  return created + std::min(ttl, tenon::Timestamp::max() - created);
}

tenon::StoredBackupV1 new_record(const Session& session, const CreateRequest& request) {
  tenon::StoredBackupV1 record;
  record.contents = new_contents_key(request.name, session.settings.compression);
  tenon::BackupV2& backup = record.backup;
  backup.name = request.name;
  backup.selector = request.selector;
  backup.created = backup.started = now();
  if (request.ttl) backup.expires = expiry(*backup.created, *request.ttl);
  backup.phase = tenon::BackupV2::Phase::InProgress;
  return record;
}

ArchiveSettings archive_settings(const Session& session, const tenon::BackupV2& backup) {
  return {.compression = session.settings.compression,
          .time = std::chrono::time_point_cast<std::chrono::seconds>(*backup.created),
          .stall_timeout = session.settings.timeouts.store};
}

BackupRun::BackupRun(Session& session, Store& store, const CreateRequest& request, Report& report,
                     Tally& tally, Input input)
    : session_(session),
      store_(store),
      report_(report),
      tally_(tally),
      allow_empty_(request.allow_empty),
      input_(std::move(input)),
      record_(new_record(session, request)),
      backup_(std::make_shared<const tenon::BackupV2>(record_.backup)),
      snapshots_(session, report),
      actions_(
          session,
          load_actions<ItemAction>(session, session.settings.backup_actions, input_.names, report),
          {backup_, handled_, &input_.names}),
      operations_(session, backup_, report),
      upload_(store, session.caller, record_.contents, archive_settings(session, record_.backup)),
      processed_(input_.items.size()) {
  tally_.begin(input_.items.size());
}

tenon::Result<std::optional<tenon::StoredBackupV1>> BackupRun::run() {
  session_.report_skipped(report_);
  process_all();
  if (is_unwanted()) {
    abandon_upload();
    remove_snapshots();
    return std::nullopt;
  }
  if (auto finished = finish(); !finished) {
    if (finished.error().code() != "backup-unconfirmed") remove_snapshots();
    return std::move(finished).error();
  }
  return std::move(record_);
}

void BackupRun::process_all() {
  actions_.run([&] { return next(); },
               [&](const Item& item) {
                 if (processed_[item.index]) tally_.add_one();
                 return !processed_[item.index];
               },
               [](Item&) {},
               [&](Item item) {
                 const std::vector<ResourceIdV1> additional = item.additional;
                 add(std::move(item));
                 process_queued();
                 handled_->add(additional);
                 tally_.add_one();
               });
  const auto refused = [&] { return upload_.refused(); };
  // Actions may add further items and operations for each of these items. The loop ends, because
  // each item is processed once.
  do {
    process_related();
    for (const PostOperationItems& post : operations_.wait(refused)) queue(post.items, post.item);
  } while (!queue_.empty() && !stopped());
}

/// Reads the next item that is selected.
std::optional<BackupRun::Item> BackupRun::next() {
  for (; next_ < input_.items.size() && !stopped(); tally_.add_one()) {
    const std::size_t index = next_++;
    if (processed_[index] || !input_.admits(input_.items.id(index))) continue;
    auto item = read(index);
    if (item && input_.filter.matches(item->labels)) return item;
  }
  return std::nullopt;
}

/// Reads an item. Returns nothing if its labels exclude it, or if it cannot be read, which is
/// reported.
std::optional<BackupRun::Item> BackupRun::read(std::size_t index) {
  const ResourceIdV1 id = input_.items.id(index);
  auto item = input_.read(index);
  if (item && !input_.excludes(item->labels)) {
    return Item{.index = index,
                .original_id = id,
                .labels = std::move(item->labels),
                .annotations = std::move(item->annotations),
                .text = std::move(item->text)};
  }
  processed_[index] = true;
  if (!item) report_.error(item.error(), id);
  return std::nullopt;
}

void BackupRun::process_queued() {
  for (; !queue_.empty() && !stopped(); queue_.pop_front()) process(queue_.front());
}

void BackupRun::process_namespaces() {
  for (const std::string& name : namespaces_) {
    if (stopped()) return;
    const auto index = input_.items.find({.resource = "namespaces", .name = name});
    if (index && input_.filter.admits_namespace(name)) process(*index);
  }
}

/// Processes the definitions of the resources that were added.
void BackupRun::process_definitions() {
  for (const std::string& resource : resources_) {
    if (stopped()) return;
    const tenon::ResourceIdV1 id{.resource = std::string(definitions_resource), .name = resource};
    const auto index = input_.items.find(id);
    if (index && input_.admits_related(id)) process(*index);
  }
}

/// Processes the queue, the Namespace documents and the definitions, which may extend each other.
void BackupRun::process_related() {
  do {
    process_queued();
    process_namespaces();
    process_definitions();
  } while (!queue_.empty() && !stopped());
}

void BackupRun::process(std::size_t index) {
  if (processed_[index]) return;
  if (auto item = read(index)) add(actions_.run(*std::move(item)));
}

/// Records the results of the actions of an item, and adds the item to the archive.
void BackupRun::add(Item item) {
  processed_[item.index] = true;
  const ResourceIdV1& id = item.original_id;
  for (const tenon::Error& error : item.errors) report_.error(error, id);
  queue(item.additional, id);
  for (BackupPolicy::Operation& operation : item.operations) {
    operations_.add(std::move(operation.plugin), std::move(operation.id), id,
                    std::move(operation.items));
  }
  if (stopped() || item.skipped) return;
  if (Snapshots::concerns(id)) {
    auto snapshot = snapshots_.take(id, item.text, zone_of(item.labels), record_.backup.name);
    if (snapshot) record_.snapshots.push_back(*std::move(snapshot));
  }
  if (!id.in_namespace.empty()) namespaces_.insert(id.in_namespace);
  resources_.insert(id.resource);
  annotations_.add(item.annotations);
  warn_of_artifacts(item);
  const auto added = upload_.add(id, std::move(item.text));
  if (added) {
    ++record_.backup.counts.items;
  } else if (!upload_.refused()) {
    report_.error(added.error(), id);
  }
}

/// Warns of external artifacts that the deletion of the backup will refuse to remove.
void BackupRun::warn_of_artifacts(const Item& item) {
  if (item.annotations.find(tenon::artifacts_annotation) == item.annotations.npos) return;
  for (const std::string& refused : tenon::refused_artifacts(item.text)) {
    report_.warning(tenon::Error({.code = "refused-artifact",
                                  .message = "an external artifact of the item will not be removed "
                                             "with the backup: " +
                                             refused,
                                  .fix = "correct the annotation \"" +
                                         std::string(tenon::artifacts_annotation) + "\""}),
                    item.original_id);
  }
}

void BackupRun::queue(const std::vector<ResourceIdV1>& ids, const ResourceIdV1& requested_by) {
  for (const ResourceIdV1& id : ids) {
    const auto index = input_.find(id);
    if (!index) {
      report_.warning(index.error(), requested_by);
    } else if (!processed_[*index] && input_.admits_related(input_.items.id(*index))) {
      queue_.push_back(*index);
    }
  }
}

/// Returns whether the backup is not stored because it has no items. A later run with a corrected
/// selection could otherwise not use its name.
bool BackupRun::is_unwanted() const {
  return record_.backup.counts.items == 0 && !allow_empty_ && !stopped();
}

void BackupRun::abandon_upload() {
  if (auto abandoned = upload_.abandon(); !abandoned) report_.error(abandoned.error());
}

tenon::Result<void> BackupRun::finish() {
  if (session_.caller.cancelled()) {
    abandon_upload();
    return interrupted();
  }
  complete_record();
  const auto description = tenon::store_backup(record_.backup, writer);
  if (!description) return description.error();
  auto described = upload_.add("metadata/backup.json", *description + "\n");
  if (auto known = definitions_text(input_.names); described && !known.empty()) {
    described = upload_.add(std::string(definitions_path), std::move(known));
  }
  if (auto stored = upload_.finish(); !stored) {
    if (!session_.caller.cancelled()) return stored;
    if (stored.error().code() != "cancelled") report_.error(stored.error());
    return interrupted();
  }
  if (!described) return described;
  record_.sha256 = upload_.sha256();
  return store_.add(record_);
}

void BackupRun::complete_record() {
  tenon::BackupV2& backup = record_.backup;
  backup.ended = now();
  backup.phase = report_.errors() == 0 ? tenon::BackupV2::Phase::Completed
                                       : tenon::BackupV2::Phase::PartiallyFailed;
  backup.counts.items_total = input_.items.size();
  backup.counts.errors = report_.errors();
  backup.counts.warnings = report_.warnings();
  tenon::tools::PluginOrigins origins;
  const auto add = [&](const tenon::PluginInfo& info) {
    tenon::tools::PluginOrigin origin = origins.of(info);
    tenon::BackupV2Plugin& plugin = backup.plugins.emplace_back();
    plugin.kind = info.kind();
    plugin.kind_version = info.version();
    plugin.name = std::move(origin.name);
    plugin.package = std::move(origin.package);
    plugin.package_version = std::move(origin.package_version);
    plugin.sha256 = std::move(origin.sha256);
  };
  add(store_.info());
  for (const auto& plugin : snapshots_.plugins()) add(plugin->info);
  for (const auto& action : actions_.actions()) add(action.plugin->info);
  record_.problems = report_.problems();
  record_.annotations = annotations_.keys();
}

void BackupRun::remove_snapshots() {
  session_.caller.begin_cleanup();
  for (const tenon::StoredBackupV1Snapshot& snapshot : record_.snapshots) {
    if (auto removed = snapshots_.remove(snapshot); !removed) {
      report_.error(removed.error(), snapshot.item);
    }
  }
}

}  // namespace

tenon::Result<std::optional<tenon::StoredBackupV1>> create_backup(Session& session, Store& store,
                                                                  const CreateRequest& request,
                                                                  Report& report, Tally& tally) {
  if (auto absent = store.check_absent(request.name); !absent) return std::move(absent).error();
  auto input = read_input(session, request, report);
  if (!input) return std::move(input).error();
  return BackupRun(session, store, request, report, tally, *std::move(input)).run();
}

tenon::Result<void> plan_backup(Session& session, const CreateRequest& request, Report& report,
                                const OnPlanned& on_planned) {
  auto input = read_input(session, request, report);
  if (!input) return std::move(input).error();
  const auto actions =
      load_actions<ItemAction>(session, session.settings.backup_actions, input->names, report);
  plan(*input, input->indices(), actions, report, on_planned);
  return {};
}

}  // namespace backup
