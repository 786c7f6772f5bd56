// SPDX-License-Identifier: BSL-1.0
#include "deletion.hpp"

#include <tenon/delete_item_action.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "action_batches.hpp"
#include "actions.hpp"
#include "base/plain_text.hpp"
#include "definitions.hpp"
#include "snapshots.hpp"

namespace backup {
namespace {

using DeletionAction = tenon::DeleteItemAction;

/// Returns whether a file that cannot be used may contain delete actions: it is a module, but its
/// manifest is unknown.
bool may_hide_actions(const tenon::Error& skipped) {
  constexpr std::array codes = {"abi-too-new",        "broken-file",      "broken-manifest",
                                "empty-file",         "manifest-differs", "manifest-removed",
                                "no-module-object",   "truncated-file",   "two-manifests",
                                "wrong-architecture", "wrong-magic"};
  return std::find(codes.begin(), codes.end(), skipped.code()) != codes.end();
}

/// Reports the plugin files that cannot be used, and delete actions that this program cannot use.
/// The latter are errors: without them, external resources could be leaked.
void report_unusable(Session& session, Report& report) {
  for (const tenon::Error& skipped : session.host.problems()) {
    if (skipped.severity() != tenon::Severity::error) continue;
    may_hide_actions(skipped) ? report.error(skipped) : report.warning(skipped);
  }
  const auto usable = session.host.plugins<DeletionAction>();
  for (const tenon::PluginInfo& plugin : session.host.registered()) {
    if (plugin.kind() != DeletionAction::kind().id) continue;
    const bool known = std::any_of(usable.begin(), usable.end(), [&](const auto& other) {
      return other.name() == plugin.name();
    });
    if (known) continue;
    report.error(tenon::Error({.code = "unusable-action",
                               .message = "the delete action cannot be used",
                               .where = plugin.file().string(),
                               .fix = "run `tenon inspect` on the file, or remove it",
                               .plugin = plugin.name()}));
  }
}

/// Returns whether an action may have something to do for an item of a backup. Older records do not
/// list annotations.
bool may_concern(const tenon::PluginInfo& action, const tenon::StoredBackupV1& record) {
  const std::string text = action.property("item_annotations");
  if (text.empty() || !record.annotations) return true;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const auto& all = *record.annotations;
    if (std::find(all.begin(), all.end(), tenon::trimmed(one)) != all.end()) return true;
  }
  return false;
}

/// Returns whether a builtin action refuses an item as it is, and would for ever. Whoever may write
/// one item of a backup could otherwise prevent its deletion.
bool is_refusal(const tenon::PluginInfo& action, const tenon::Error& error) {
  const tenon_status status = error.status();
  return action.builtin() &&
         (status == TENON_INVALID_ARGUMENT || status == TENON_FAILED_PRECONDITION);
}

/// The policy of delete actions, see ActionBatches.
struct DeletionPolicy {
  using Kind = DeletionAction;

  struct Item {
    std::uint32_t index = 0;
    tenon::ResourceIdV1 original_id;
    Labels labels;
    std::string text;
    std::vector<std::uint32_t> executed{};  // indices of actions
    std::vector<tenon::Error> errors{};
    std::vector<tenon::Error> refusals{};
  };

  auto body(const PluginPtr<DeletionAction>& plugin, const Item& item) const {
    return [plugin, text = item.text, backup = backup](tenon::Call& call) {
      return plugin->handle->execute(call, text, *backup);
    };
  }
  template <class Result>
  static void take(const PluginPtr<DeletionAction>& plugin, std::size_t number, Item& item,
                   const Result& done) {
    if (done) {
      item.executed.push_back(static_cast<std::uint32_t>(number));
    } else if (is_refusal(plugin->info, done.error())) {
      item.refusals.push_back(done.error());
    } else {
      item.errors.push_back(done.error());
    }
  }
  static bool is_finished(const Item&) { return false; }
  static bool is_barrier(const Item&) { return false; }
  static bool needs_preparation(const Item&) { return false; }

  std::shared_ptr<const tenon::BackupV2> backup;
};

class DeletionRun {
 public:
  DeletionRun(Session& session, Store& store, tenon::StoredBackupV1 record, Report& report,
              Tally& tally)
      : session_(session),
        store_(store),
        record_(std::move(record)),
        backup_(std::make_shared<const tenon::BackupV2>(record_.backup)),
        report_(report),
        tally_(tally) {}

  tenon::Result<Deletion> run(DeleteActions actions);
  tenon::Result<void> plan(const OnPlanned& on_planned);

 private:
  tenon::Result<void> mark();
  void execute_actions();
  void warn_of_omitted();
  void create_plugins();
  void download();
  void load_actions();
  void execute_all();
  void remove_snapshots();
  tenon::Result<void> remove_data();
  tenon::Result<bool> is_stored();
  void keep_record();
  bool failed() const { return report_.errors() != 0; }

  Session& session_;
  Store& store_;
  tenon::StoredBackupV1 record_;
  std::shared_ptr<const tenon::BackupV2> backup_;  // that actions receive
  Report& report_;
  Tally& tally_;
  bool is_marked_ = false;
  bool is_replaced_ = false;  // the store has another backup of this name
  std::vector<PluginPtr<DeletionAction>> plugins_;
  std::vector<Action<DeletionAction>> actions_;
  Deletion deletion_;
};

tenon::Result<Deletion> DeletionRun::run(DeleteActions actions) {
  if (auto marked = mark(); !marked) return std::move(marked).error();
  if (actions == DeleteActions::executed) {
    execute_actions();
    deletion_.needs_actions = failed() && !session_.caller.cancelled();
  } else {
    warn_of_omitted();
  }
  if (!failed()) {
    if (auto stored = is_stored(); !stored) report_.error(stored.error());
  }
  if (!failed()) remove_snapshots();
  if (!failed()) {
    const auto removed = remove_data();
    deletion_.deleted = removed.has_value();
    if (removed) return std::move(deletion_);
    report_.error(removed.error());
  }
  if (!is_replaced_) keep_record();
  return std::move(deletion_);
}

void DeletionRun::execute_actions() {
  create_plugins();
  if (!plugins_.empty() && !failed()) download();
  if (!failed()) load_actions();
  if (!failed()) execute_all();
}

/// Names the delete actions that the backup needs, and what could contain others.
void DeletionRun::warn_of_omitted() {
  std::set<std::string> names;
  for (const tenon::PluginInfo& plugin : session_.host.registered()) {
    if (plugin.kind() != DeletionAction::kind().id || !may_concern(plugin, record_)) continue;
    names.insert(plugin.name());
  }
  for (const std::string& name : names) {
    report_.warning(tenon::Error({.code = "action-omitted",
                                  .message = "the delete action is not executed; what it would "
                                             "remove stays",
                                  .where = record_.backup.name,
                                  .plugin = name}));
  }
  session_.report_skipped(report_);
}

/// Returns whether the record is still in the store. Another process may have deleted the backup,
/// and created another one of the same name. Errors: aborted if it did; those of the store.
tenon::Result<bool> DeletionRun::is_stored() {
  const auto current = store_.read(record_.backup.name);
  if (!current && current.error().code() == "not-found") return false;
  if (!current) return current.error();
  if (current->contents == record_.contents) return true;
  is_replaced_ = true;
  return tenon::Error({.status = TENON_ABORTED,
                       .message = "the backup was replaced while it was deleted; the new backup is "
                                  "kept",
                       .where = record_.backup.name});
}

/// Stores the problems of a deletion that failed, unless another process has deleted the backup.
void DeletionRun::keep_record() {
  record_.backup.counts.errors = report_.errors();
  record_.backup.counts.warnings = report_.warnings();
  record_.problems = report_.problems();
  session_.caller.begin_cleanup();  // the run may have been interrupted
  const auto stored = is_stored();
  if (!stored) return report_.error(stored.error());
  if (!*stored) return;
  if (auto written = store_.write(record_); !written) report_.error(written.error());
}

/// Stores the phase. A full store is only a warning, because the deletion makes room.
tenon::Result<void> DeletionRun::mark() {
  record_.backup.phase = tenon::BackupV2::Phase::Deleting;
  auto marked = store_.write(record_);
  is_marked_ = marked.has_value();
  if (is_marked_ || TENON_CODE(marked.error().status()) != TENON_RESOURCE_EXHAUSTED) return marked;
  report_.warning(tenon::Error({.code = "phase-not-stored",
                                .message = "the store has no room for the phase of the backup; the "
                                           "deletion continues",
                                .where = record_.backup.name,
                                .found = std::string(marked.error().message())}));
  return {};
}

tenon::Result<void> DeletionRun::plan(const OnPlanned& on_planned) {
  create_plugins();
  if (!plugins_.empty()) download();
  load_actions();
  const Input& input = deletion_.input;
  backup::plan(input, input.indices(), actions_, report_, on_planned);
  return {};
}

void DeletionRun::create_plugins() {
  report_unusable(session_, report_);
  plugins_ = session_.create_all<DeletionAction>(session_.settings.delete_actions, report_);
  std::sort(plugins_.begin(), plugins_.end(),
            [](const auto& a, const auto& b) { return a->info.name() < b->info.name(); });
  std::erase_if(plugins_, [&](const auto& plugin) { return !may_concern(plugin->info, record_); });
}

void DeletionRun::download() {
  auto items = store_.contents(record_);
  if (items) {
    deletion_.input.items = *std::move(items);
  } else if (TENON_CODE(items.error().status()) == TENON_NOT_FOUND) {
    report_.warning(tenon::Error({.code = "missing-archive",
                                  .message = "the archive does not exist; no action is executed",
                                  .where = record_.contents}));
    plugins_.clear();
  } else {
    report_.error(items.error());
  }
}

void DeletionRun::load_actions() {
  Input& input = deletion_.input;
  add_definitions(input.items, input.names);
  for (PluginPtr<DeletionAction>& plugin : plugins_) {
    deletion_.actions.push_back(plugin->info.name());
    auto action = load_action<DeletionAction>(session_, plugin, input.names);
    if (action) {
      actions_.push_back(*std::move(action));
    } else {
      report_.error(action.error());
    }
  }
}

void DeletionRun::execute_all() {
  using Item = DeletionPolicy::Item;
  const Input& input = deletion_.input;
  tally_.begin(input.items.size());
  std::uint32_t next = 0;
  const auto read = [&]() -> std::optional<Item> {
    for (; next < input.items.size() && !session_.caller.cancelled(); tally_.add_one()) {
      const std::uint32_t index = next++;
      const tenon::ResourceIdV1 id = input.items.id(index);
      auto item = input.read(index);
      if (item) return Item{index, id, std::move(item->labels), std::move(item->text)};
      report_.error(item.error(), id);
    }
    return std::nullopt;
  };
  ActionBatches<DeletionPolicy> batches(session_, std::move(actions_), {backup_});
  batches.run(
      read, [](const Item&) { return true; }, [](Item&) {},
      [&](const Item& item) {
        for (const tenon::Error& error : item.errors) {
          report_.error(error, item.original_id);
        }
        for (const tenon::Error& refusal : item.refusals) {
          report_.warning(refusal, item.original_id);
        }
        for (const std::uint32_t action : item.executed) {
          deletion_.executed.push_back({action, item.index});
        }
        tally_.add_one();
      });
  if (session_.caller.cancelled()) {
    report_.error(tenon::Error({.status = TENON_CANCELLED,
                                .message = "the run was interrupted",
                                .fix = "delete the backup again"}));
  }
}

/// Removes no snapshot before it is known that all snapshotters can be used.
void DeletionRun::remove_snapshots() {
  if (record_.snapshots.empty()) return;
  Snapshots snapshots(session_, report_);
  for (const tenon::StoredBackupV1Snapshot& snapshot : record_.snapshots) {
    if (auto good = snapshots.check(snapshot); !good) report_.error(good.error(), snapshot.item);
  }
  if (failed()) return;
  std::erase_if(record_.snapshots, [&](const tenon::StoredBackupV1Snapshot& snapshot) {
    const auto removed = snapshots.remove(snapshot);
    if (!removed) report_.error(removed.error(), snapshot.item);
    return removed.has_value();
  });
}

/// Removes the archive first, since no other backup can have it. Other objects may belong to a
/// backup that replaces this one, so the record must still be in the store.
tenon::Result<void> DeletionRun::remove_data() {
  const std::string& name = record_.backup.name;
  if (auto removed = store_.remove_archive(record_.contents); !removed) return removed;
  auto stored = is_stored();
  if (!stored) return std::move(stored).error();
  if (!*stored) return {};
  // There is room now. If the run is interrupted, the backup does not look complete.
  if (!is_marked_) static_cast<void>(store_.write(record_));
  if (auto removed = store_.remove_contents(name); !removed) return std::move(removed).error();
  if (auto removed = store_.remove_restores(name); !removed) return std::move(removed).error();
  stored = is_stored();
  if (!stored) return std::move(stored).error();
  return *stored ? store_.remove_record(name) : tenon::Result<void>();
}

}  // namespace

tenon::Result<Deletion> delete_backup(Session& session, Store& store, tenon::StoredBackupV1 record,
                                      DeleteActions actions, Report& report, Tally& tally) {
  return DeletionRun(session, store, std::move(record), report, tally).run(actions);
}

tenon::Result<Deletion> delete_leftovers(Store& store, const std::string& name) {
  const auto contents = store.remove_contents(name);
  if (!contents) return contents.error();
  const auto restores = store.remove_restores(name);
  if (!restores) return restores.error();
  Deletion deletion;
  deletion.deleted = *contents + *restores != 0;
  return deletion;
}

tenon::Result<void> plan_deletion(Session& session, Store& store, tenon::StoredBackupV1 record,
                                  Report& report, const OnPlanned& on_planned) {
  Tally tally;
  return DeletionRun(session, store, std::move(record), report, tally).plan(on_planned);
}

}  // namespace backup
