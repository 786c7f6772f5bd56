// SPDX-License-Identifier: BSL-1.0
#include "restore.hpp"

#include <tenon/restore_item_action.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "action_batches.hpp"
#include "actions.hpp"
#include "archive_path.hpp"
#include "common/duration_setting.hpp"
#include "common/plugin_origins.hpp"
#include "definitions.hpp"
#include "input.hpp"
#include "item.hpp"
#include "item_writers.hpp"
#include "operations.hpp"
#include "platform/program.hpp"
#include "restore_order.hpp"
#include "restored_directory.hpp"
#include "selection_check.hpp"
#include "snapshots.hpp"
namespace backup {
namespace {

using ItemAction = tenon::RestoreItemAction;
using tenon::ResourceIdV1;

/// Returns the record of the backup.
tenon::Result<tenon::StoredBackupV1> read_record(Store& store, const RestoreRequest& request,
                                                 Report& report) {
  auto record = store.read(request.backup);
  if (record && record->backup.phase == tenon::BackupV2::Phase::Deleting) {
    report.warning(tenon::Error({.code = "being-deleted",
                                 .message = "this backup is being deleted; delete actions may "
                                            "have removed data that its items refer to",
                                 .where = request.backup}));
  }
  return record;
}

tenon::Result<Input> read_input(Store& store, const tenon::StoredBackupV1& record,
                                const RestoreRequest& request, Report& report) {
  Input input;
  auto items = store.contents(record);
  if (!items) return std::move(items).error();
  input.items = *std::move(items);
  add_definitions(input.items, input.names);
  if (auto good = check_selection(request.selector, input.names); !good) return good.error();
  report_unknown_namespaces(request.selector, input.items, report);
  auto filter = Selector::compile(request.selector, input.names);
  if (!filter) return std::move(filter).error();
  input.filter = *std::move(filter);
  return input;
}

/// Warns of plugins that wrote the backup and are not installed in that version or a newer one.
void check_plugins(const Session& session, const tenon::BackupV2& backup, Report& report) {
  tenon::tools::PluginOrigins origins;
  for (const tenon::BackupV2Plugin& plugin : backup.plugins) {
    const auto other = origins.compare(
        session.host, {plugin.name, plugin.package, plugin.package_version, plugin.sha256},
        backup.name);
    if (other) report.warning(*other);
  }
}

/// Warns of namespaces that are mapped but not in the backup.
void check_mapping(const Items& items, const tenon::TextMap& mapping, Report& report) {
  std::vector<std::string> mapped;
  for (const auto& [name, target] : mapping) mapped.push_back(name);
  report_unknown_namespaces("--map-namespace", mapped, items, report);
}

std::string name_of(const RestoreRequest& request, std::chrono::system_clock::time_point when) {
  if (!request.name.empty()) return request.name;
  const std::tm parts = tenon::platform::utc_time(std::chrono::system_clock::to_time_t(when));
  char text[32];
  std::strftime(text, sizeof text, "-%Y%m%d%H%M%S", &parts);
  const auto whole = std::chrono::time_point_cast<std::chrono::seconds>(when);
  const auto part = std::chrono::duration_cast<std::chrono::microseconds>(when - whole).count();
  const std::string digits = std::to_string(part);
  const std::string end = text + ("-" + std::string(6 - digits.size(), '0')) + digits;
  std::string begin = request.backup.substr(0, longest_restore_name - end.size());
  begin.erase(begin.find_last_not_of("-.") + 1);
  return begin + end;
}

/// An action that requested to wait until its additional items are ready.
struct Wait {
  PluginPtr<ItemAction> plugin;
  std::vector<ResourceIdV1> items;
  std::chrono::nanoseconds timeout;
};

/// The policy of restore actions, see ActionBatches.
struct RestorePolicy {
  using Kind = ItemAction;

  struct Operation {
    PluginPtr<ItemAction> plugin;
    std::string id;
  };
  struct Item {
    std::size_t index = 0;
    ResourceIdV1 original_id;
    ResourceIdV1 id;  // after its actions
    Labels labels;
    std::shared_ptr<const std::string> original;
    std::string text;
    bool skipped = false;
    bool failed = false;  // its volume was not restored
    std::vector<ResourceIdV1> additional{};
    std::size_t next_additional = 0;  // of them
    std::vector<Wait> waits{};
    std::vector<Operation> operations{};
    std::vector<tenon::Error> errors{};
  };

  auto body(const PluginPtr<ItemAction>& plugin, const Item& item) const {
    return
        [plugin, text = item.text, original = item.original, restore = restore](tenon::Call& call) {
          return plugin->handle->execute(call, text, *original, *restore);
        };
  }
  template <class Result>
  void take(const PluginPtr<ItemAction>& plugin, std::size_t, Item& item, const Result& done) const;
  static void replace(const PluginPtr<ItemAction>& plugin, std::string_view changed, Item& item);
  static bool is_finished(const Item& item) { return item.skipped || item.failed; }
  bool is_barrier(const Item& item) const {
    return !handled->contains(item.additional) || !item.waits.empty();
  }
  static bool needs_preparation(const Item& item) { return Snapshots::concerns(item.original_id); }

  std::shared_ptr<const tenon::RestoreV1> restore;
  std::chrono::nanoseconds ready_timeout;
  std::shared_ptr<HandledItems> handled;
};

template <class Result>
void RestorePolicy::take(const PluginPtr<ItemAction>& plugin, std::size_t, Item& item,
                         const Result& done) const {
  if (!done) return item.errors.push_back(done.error());
  item.skipped = done->skip_restore;
  if (item.skipped) return;
  std::vector<ResourceIdV1> additional = owned(done->additional_items);
  if (done->wait_for_additional_items) {
    const auto timeout = std::min<std::chrono::nanoseconds>(done->additional_items_ready_timeout,
                                                            tenon::tools::longest_duration);
    item.waits.push_back({plugin, additional, timeout.count() > 0 ? timeout : ready_timeout});
  }
  append(item.additional, std::move(additional));
  if (!done->operation_id.empty()) {
    item.operations.push_back({plugin, std::string(done->operation_id)});
  }
  if (done->updated_item) replace(plugin, *done->updated_item, item);
}

/// Reports and drops a change that cannot be used.
void RestorePolicy::replace(const PluginPtr<ItemAction>& plugin, std::string_view changed,
                            Item& item) {
  auto id = id_of(changed, item.id.resource);
  if (!id) {
    item.errors.push_back(of_plugin(id.error(), plugin->info, "execute"));
    return;
  }
  item.id = *std::move(id);
  item.text.assign(changed);
}

class RestoreRun {
 public:
  RestoreRun(Session& session, const RestoreRequest& request, Report& report, Tally& tally,
             const tenon::StoredBackupV1& backup, Input input);

  tenon::Result<tenon::StoredRestoreV1> run();

 private:
  using Item = RestorePolicy::Item;

  std::optional<Item> next();
  std::optional<Item> read(std::size_t index);
  void restore_snapshot(Item& item);
  void restore(Item item);
  void begin(Item item, std::vector<Item>& stack);
  bool begin_additional(std::vector<Item>& stack);
  void await_ready(const Wait& wait, const ResourceIdV1& id);
  tenon::Result<bool> is_ready(const Wait& wait);
  void end(Item item);
  void take_written(const ItemWrite& write);
  std::optional<std::size_t> source_of(const ResourceIdV1& id) const;
  void note_source(const Item& item);
  void forget_source(const ItemWrite& write);
  void report_existing(const ItemWrite& write);
  void report_unused_volumes();

  /// Returns the report, with the results of all items so far.
  Report& report() {
    writers_.finish();
    return report_;
  }

  Session& session_;
  Report& report_;  // for `report` and `take_written`
  Tally& tally_;
  const Input input_;
  tenon::StoredRestoreV1 record_;
  std::shared_ptr<const tenon::RestoreV1> restore_;  // that actions receive
  const RestoredDirectory::Existing existing_;
  RestoredDirectory directory_;
  Snapshots snapshots_;
  std::map<std::string, const tenon::StoredBackupV1Snapshot*> snapshot_of_;  // by volume
  // The volumes that this run has made and that no file names, by the index of their item.
  std::map<std::size_t, Snapshots::Volume> unused_volumes_;
  std::shared_ptr<HandledItems> handled_ = std::make_shared<HandledItems>();
  ActionBatches<RestorePolicy> actions_;
  Operations<ItemAction, tenon::RestoreV1> operations_;
  const std::vector<std::size_t> order_;
  std::size_t next_ = 0;  // in the order
  std::vector<bool> begun_;
  // The items that have a file in the directory or are about to be written. Most items keep their
  // id, so their paths are not kept in memory.
  std::vector<bool> has_own_file_;
  std::map<std::string, std::size_t> renamed_;  // the other items, by their path
  ItemWriters writers_{directory_, [this](const ItemWrite& write) { take_written(write); }};
};

tenon::StoredRestoreV1 new_record(const RestoreRequest& request) {
  const auto now = std::chrono::system_clock::now();
  tenon::StoredRestoreV1 record;
  record.restore.name = name_of(request, now);
  record.restore.backup = request.backup;
  record.restore.selector = request.selector;
  record.restore.namespace_mapping = request.namespace_mapping;
  record.restore.created = std::chrono::time_point_cast<tenon::Duration>(now);
  return record;
}

RestoreRun::RestoreRun(Session& session, const RestoreRequest& request, Report& report,
                       Tally& tally, const tenon::StoredBackupV1& backup, Input input)
    : session_(session),
      report_(report),
      tally_(tally),
      input_(std::move(input)),
      record_(new_record(request)),
      restore_(std::make_shared<const tenon::RestoreV1>(record_.restore)),
      existing_(request.existing),
      directory_(request.to),
      snapshots_(session, report),
      actions_(
          session,
          load_actions<ItemAction>(session, session.settings.restore_actions, input_.names, report),
          {restore_, session.settings.timeouts.ready, handled_}),
      operations_(session, restore_, report),
      order_(restore_order(input_.items)),
      begun_(input_.items.size()),
      has_own_file_(input_.items.size()) {
  for (const auto& snapshot : backup.snapshots) {
    snapshot_of_[snapshot.item.name] = &snapshot;
  }
  tally_.begin(input_.items.size());
}

tenon::Result<tenon::StoredRestoreV1> RestoreRun::run() {
  if (auto made = directory_.lock(); !made) return std::move(made).error();
  session_.report_skipped(report_);
  actions_.run([&] { return next(); },
               [&](const Item& item) {
                 if (begun_[item.index]) tally_.add_one();
                 return !begun_[item.index];
               },
               [&](Item& item) { restore_snapshot(item); },
               [&](Item item) {
                 const std::vector<ResourceIdV1> additional = item.additional;
                 restore(std::move(item));
                 handled_->add(additional);
                 tally_.add_one();
               });
  writers_.finish();
  operations_.wait([] { return false; });
  report_unused_volumes();
  if (auto synced = directory_.sync(); !synced) return std::move(synced).error();
  if (session_.caller.cancelled()) {
    return tenon::Error({.status = TENON_CANCELLED,
                         .message = "the run was interrupted",
                         .fix = "restore again into the same directory"});
  }
  record_.ended = std::chrono::time_point_cast<tenon::Duration>(std::chrono::system_clock::now());
  record_.errors = report_.errors();
  record_.problems = report_.problems();
  return std::move(record_);
}

/// Reads the next item that is selected.
std::optional<RestoreRun::Item> RestoreRun::next() {
  for (; next_ < order_.size() && !session_.caller.cancelled(); tally_.add_one()) {
    const std::size_t index = order_[next_++];
    if (begun_[index] || !input_.admits(input_.items.id(index))) continue;
    if (auto item = read(index)) return item;
  }
  return std::nullopt;
}

/// Returns nothing if an item is not selected or cannot be read. The latter is reported.
std::optional<RestoreRun::Item> RestoreRun::read(std::size_t index) {
  const ResourceIdV1 id = input_.items.id(index);
  auto item = input_.read(index);
  if (!item) {
    begun_[index] = true;
    report().error(item.error(), id);
    return std::nullopt;
  }
  if (!input_.filter.matches(item->labels)) return std::nullopt;
  return Item{.index = index,
              .original_id = id,
              .id = id,
              .labels = std::move(item->labels),
              .original = std::make_shared<const std::string>(item->text),
              .text = item->text};
}

/// Creates a volume from the snapshot of an item. If the item is already restored, it gets the
/// volume of the earlier restore, so that its file still names that volume.
void RestoreRun::restore_snapshot(Item& item) {
  const auto found = snapshot_of_.find(item.id.name);
  if (found == snapshot_of_.end()) return;
  writers_.finish();
  if (const auto existing = directory_.read(item.id)) {
    auto same = snapshots_.with_volume_of(*existing, *found->second, item.text);
    const bool known = same.has_value();
    if (known) item.text = *std::move(same);
    if (known || existing_ == RestoredDirectory::Existing::keep) return;
  }
  auto volume = snapshots_.make_volume(*found->second);
  if (volume) {
    auto changed = snapshots_.set_volume(*volume, item.text);
    unused_volumes_.emplace(item.index, *std::move(volume));
    if (changed) {
      item.text = *std::move(changed);
      return;
    }
    item.errors.push_back(changed.error());
  } else {
    item.errors.push_back(volume.error());
  }
  item.failed = true;
}

/// Restores an item after its actions. First restores the additional items that its actions named,
/// and recursively theirs.
void RestoreRun::restore(Item item) {
  std::vector<Item> stack;
  begin(std::move(item), stack);
  while (!stack.empty() && !session_.caller.cancelled()) {
    if (begin_additional(stack)) continue;
    Item item = std::move(stack.back());
    stack.pop_back();
    end(std::move(item));
  }
}

/// Records the results of the actions of an item, and pushes the item onto the stack.
void RestoreRun::begin(Item item, std::vector<Item>& stack) {
  begun_[item.index] = true;
  for (const tenon::Error& error : item.errors) report().error(error, item.original_id);
  for (RestorePolicy::Operation& operation : item.operations) {
    operations_.add(std::move(operation.plugin), std::move(operation.id), item.id, {});
  }
  stack.push_back(std::move(item));
}

/// Begins the next additional item of the top of the stack, and pushes it onto the stack. Returns
/// whether there was one. The others wait until it is written, so that the stack holds few items.
bool RestoreRun::begin_additional(std::vector<Item>& stack) {
  Item& top = stack.back();
  while (!top.skipped && top.next_additional < top.additional.size()) {
    const ResourceIdV1& id = top.additional[top.next_additional++];
    const auto index = input_.find(id);
    if (!index) {
      report().warning(index.error(), top.id);
      continue;
    }
    if (begun_[*index] || !input_.admits_related(input_.items.id(*index))) continue;
    auto item = read(*index);
    if (!item) continue;
    if (RestorePolicy::needs_preparation(*item)) restore_snapshot(*item);
    begin(actions_.run(*std::move(item)), stack);
    return true;
  }
  return false;
}

void RestoreRun::await_ready(const Wait& wait, const ResourceIdV1& id) {
  writers_.finish();
  const auto deadline = std::chrono::steady_clock::now() + wait.timeout;
  for (;;) {
    const auto ready = is_ready(wait);
    if (!ready) return report().error(ready.error(), id);
    if (*ready) return;
    if (std::chrono::steady_clock::now() >= deadline) break;
    session_.caller.wait(session_.settings.timeouts.poll);
  }
  report().error(tenon::Error({.code = "additional-items-not-ready",
                               .message = "the additional items are not ready after " +
                                          to_text(wait.timeout) + "; the item is restored anyway",
                               .plugin = wait.plugin->info.name(),
                               .method = "are_additional_items_ready"}),
                 id);
}

tenon::Result<bool> RestoreRun::is_ready(const Wait& wait) {
  return session_.caller.call(
      wait.plugin, "are_additional_items_ready", session_.settings.timeouts.call,
      [items = wait.items, restore = restore_](ItemAction& plugin, tenon::Call& call) {
        return plugin.are_additional_items_ready(call, items, *restore);
      });
}

void RestoreRun::end(Item item) {
  if (item.skipped) {
    ++record_.skipped;
    return;
  }
  if (item.failed) return;
  for (const Wait& wait : item.waits) await_ready(wait, item.id);
  // It is known only afterwards whether another item got its file.
  if (source_of(item.id)) writers_.finish();
  const auto source = source_of(item.id);
  if (!source) note_source(item);
  // A file of this run is never replaced: another item would be lost.
  writers_.add({.index = item.index,
                .id = std::move(item.id),
                .text = std::move(item.text),
                .existing = source ? RestoredDirectory::Existing::keep : existing_,
                .source = source});
}

/// Records the result of writing an item.
void RestoreRun::take_written(const ItemWrite& write) {
  if (!write.written) {
    if (!write.source) forget_source(write);
    return report_.error(write.written.error(), write.id);
  }
  if (*write.written != RestoredDirectory::Written::differs) unused_volumes_.erase(write.index);
  if (*write.written == RestoredDirectory::Written::written) {
    ++record_.restored;
    return;
  }
  ++record_.skipped;
  if (*write.written == RestoredDirectory::Written::differs) report_existing(write);
}

/// Returns the index of the item that this run has already restored to an id.
std::optional<std::size_t> RestoreRun::source_of(const ResourceIdV1& id) const {
  if (const auto found = renamed_.find(archive_path(id)); found != renamed_.end()) {
    return found->second;
  }
  const auto own = input_.items.find(id);
  return own && has_own_file_[*own] ? own : std::nullopt;
}

void RestoreRun::note_source(const Item& item) {
  if (item.id == item.original_id) {
    has_own_file_[item.index] = true;
  } else {
    renamed_.emplace(archive_path(item.id), item.index);
  }
}

void RestoreRun::forget_source(const ItemWrite& write) {
  if (write.id == input_.items.id(write.index)) {
    has_own_file_[write.index] = false;
  } else {
    renamed_.erase(archive_path(write.id));
  }
}

/// Reports that the file of an item exists with another content.
void RestoreRun::report_existing(const ItemWrite& write) {
  if (write.source) {
    const ResourceIdV1 id = input_.items.id(write.index);
    return report_.error(
        tenon::Error({.code = "duplicate-resource",
                      .message = "the item is not restored, because another item of the backup was "
                                 "restored to the same file",
                      .where = archive_path(write.id),
                      .found = id_text(input_.items.id(*write.source)) + " and " + id_text(id),
                      .needed = "one item for each file",
                      .fix = "map the namespaces to different names, or restore each namespace "
                             "into a directory of its own"}),
        id);
  }
  report_.warning(
      tenon::Error({.code = "already-exists",
                    .message = "a different version of the item exists and is kept",
                    .where = archive_path(write.id),
                    .fix = "restore into an empty directory, or with --existing update"}),
      write.id);
}

/// Reports volumes that were made for items that were then skipped or could not be written.
void RestoreRun::report_unused_volumes() {
  for (const auto& [index, volume] : unused_volumes_) {
    report_.warning(tenon::Error({.code = "unused-volume",
                                  .message = "a volume was made for the item, but the item was not "
                                             "written",
                                  .where = volume.id,
                                  .fix = "remove the volume, unless you need its data",
                                  .plugin = volume.plugin->info.name()}),
                    input_.items.id(index));
  }
}

}  // namespace

tenon::Result<tenon::StoredRestoreV1> restore_backup(Session& session, Store& store,
                                                     const RestoreRequest& request, Report& report,
                                                     Tally& tally) {
  if (auto absent = store.check_absent(request.backup, request.name); !absent) {
    return std::move(absent).error();
  }
  const auto backup = read_record(store, request, report);
  if (!backup) return backup.error();
  check_plugins(session, backup->backup, report);
  auto input = read_input(store, *backup, request, report);
  if (!input) return std::move(input).error();
  check_mapping(input->items, request.namespace_mapping, report);
  return RestoreRun(session, request, report, tally, *backup, *std::move(input)).run();
}

tenon::Result<void> plan_restore(Session& session, Store& store, const RestoreRequest& request,
                                 Report& report, const OnPlanned& on_planned) {
  const auto backup = read_record(store, request, report);
  if (!backup) return backup.error();
  check_plugins(session, backup->backup, report);
  const auto input = read_input(store, *backup, request, report);
  if (!input) return input.error();
  check_mapping(input->items, request.namespace_mapping, report);
  const auto actions =
      load_actions<ItemAction>(session, session.settings.restore_actions, input->names, report);
  plan(*input, restore_order(input->items), actions, report, on_planned);
  return {};
}

}  // namespace backup
